/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the launcher and a hook inside a process that already ran say to each other.
 *
 * memtrack.so (dlopen'ed) and memtrack-map.so (mapped and relocated from outside) export the same:
 *
 *   memtrack_attach    takes a session; called in a thread of the target, the patches not yet planted
 *   memtrack_entries   what can be patched, and where a patched function continues
 *   memtrack_state     what goes on, read from outside through /proc/PID/mem
 *   memtrack_injected  a word that the launcher sets to 1 in the file (memtrack.so) before it is loaded:
 *                      the constructor then does nothing
 *
 * One session:
 *   1. a segment is mapped; for a later session at the same address over the old one (MAP_FIXED), while
 *      all threads are stopped and none is inside the hook's text, nor interrupted there by a signal
 *      whose handler still runs.  Threads that the real functions keep may return into the hook at
 *      any time: what they began belongs to no session any more, and they write nothing.
 *   2. memtrack_attach(&request) in one of its threads.  0: whatever comes by the entries is
 *      recorded.  It sleeps for nobody and calls nothing of the target's but _dl_find_object.
 *      No thread tells of its end (a key's destructor would stay in the program for ever, and
 *      the mapped form has none): one that has the memory of another tells of that one's
 *      (THREAD_EXITED), and the launcher looks for the rest.
 *   3. the patches are planted.
 *   4. the end: patches away, what is in the segment read out, memtrack_state.recording = 0, then 0 in
 *      the word at memtrack_state.life (both written from outside, at any moment).  From then on an
 *      entry only passes on.
 *
 * The weak undefined symbols of memtrack-map.so may all be 0: _dl_find_object and _r_debug (of ld.so),
 * _dl_debug_addr (of musl's libc.so) show where objects are; without them `program` has to do. */
#ifndef TRACE_ATTACH_H
#define TRACE_ATTACH_H

#include <stdatomic.h>
#include <stdint.h>

#define ATTACH_VERSION	3u
#define ATTACH_MAGIC	0x31484154u	/* "TAH1" */

/* How the stub hands over the real function (the relocated beginning of what was patched).  No
 * register may change, callers in the same unit may count on that:
 *
 *	push  real(%rip)
 *	jmp   *entry(%rip)		with the stack otherwise as the caller left it
 */
#define ATTACH_PUSHED	8u

/* ops from here on: wrapped functions that allocate nothing. */
#define ATTACH_OTHER	256u

/* A function that can be patched.  The last row of memtrack_entries[] has op 0.  Where several names
 * are at one address the first row is the one that counts. */
struct attach_entry {
	uint32_t op;		/* trace/functions.h, or ATTACH_OTHER and more */
	uint32_t argument;	/* ATTACH_PUSHED */
	uint64_t function;	/* address of the hook's entry */
	char symbol[40];	/* what is patched: "malloc" */
};

#define ATTACH_ALLOCATORS	4u

struct attach_request {
	uint32_t version, bytes;	/* ATTACH_VERSION, of this structure */
	uint64_t segment, segment_bytes;
	uint64_t stack_low, stack_high;	/* the main thread's stack, from /proc/PID/maps; low: as far as it
					 * may grow */
	int64_t tid_offset;		/* of the tid in the thread control block, from the thread
					 * pointer: the word that equals each tid; 0: unknown */
	uint64_t pid;			/* in the target's pid namespace */

	/* The executable, for programs without a loader's list of objects (static ones); else 0. */
	uint64_t program, program_bias;	/* where its ELF header is mapped; address minus file's vaddr */
	uint64_t frames, frames_bytes;	/* .eh_frame, needed if there is no PT_GNU_EH_FRAME */

	uint64_t vdso;			/* AT_SYSINFO_EHDR: needed where the clock is not the TSC */

	/* Code of allocators that free, by their patched functions, what the program freed before (glibc
	 * what it kept for a thread that ends).  Unused ones are 0. */
	struct attach_range {
		uint64_t low, high;
	} allocators[ATTACH_ALLOCATORS];
};

struct attach_state {
	uint32_t magic, version;
	_Atomic uint32_t sessions;	/* that were ever begun here */
	_Atomic uint32_t recording;	/* 1 from memtrack_attach until somebody stores 0 */
	uint64_t segment, segment_bytes; /* of the newest session, also after its end */
	uint64_t life;			/* address of the 32-bit word that is 0 while nothing is recorded */
	_Atomic uint32_t alone;		/* the launcher writes 1 as it plants its patches if there is one thread: no
					 * other one's call of an allocator is under way, unseen */
	uint64_t shadow, shadow_bytes;	/* private memory that is all void between sessions: it may be given
					 * back then (MADV_DONTNEED), whatever threads do */
};

/* 0 or -errno; then nothing has changed. */
typedef long attach_fn(const struct attach_request *);

#define ATTACH_FUNCTION	"memtrack_attach"
#define ATTACH_ENTRIES	"memtrack_entries"
#define ATTACH_STATE	"memtrack_state"
#define ATTACH_INJECTED	"memtrack_injected"

#endif
