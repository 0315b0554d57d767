/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Machine code of a function's entry: what may be overwritten by a jump, and the same instructions
 * made to run elsewhere.  Works on copies of bytes; touches no process.
 *
 *	entry, as in the file		entry, patched		copy, within reach
 *	  push %r12			  jmp stub		  push %r12
 *	  push %rbp			  (rest of push %rbx)	  push %rbp
 *	  push %rbx			  mov %rdi,%rbx		  push %rbx
 *	  mov  %rdi,%rbx					  mov  %rdi,%rbx
 *	  sub  $16,%rsp						  jmp  entry + 7
 *
 * The copy pushes and pops what the original would, at the same stack pointer, and a call in it leaves
 * the original's return address: whoever unwinds sees nothing of it, unless it is the copy itself that
 * he interrupted.
 *
 * One file for each CPU; where there is none code_cpu_supported() says so and all else is -ENOTSUP.
 */
#ifndef INJECT_CODE_H
#define INJECT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_PATCH_BYTES	5u	/* that planting overwrites */
#define CODE_ENTRY_MAX		20u	/* the longest entry: four bytes and the longest instruction */
#define CODE_STUB_BYTES		32u
#define CODE_COPY_MAX		128u
#define CODE_ENTRY_STEPS	5u	/* instructions in an entry */

/* The instructions at a function's entry that the jump touches. */
struct code_entry {
	uint64_t address;
	uint8_t bytes[CODE_ENTRY_MAX];	/* as they are in the file */
	unsigned length;		/* of whole instructions that are moved */
	unsigned taken;			/* of bytes[]: length, or CODE_PATCH_BYTES where padding makes up for it */
	unsigned steps;			/* how many */
	uint8_t starts[CODE_ENTRY_STEPS];
	bool ends;			/* control never leaves it at its end */
	bool calls;			/* the last one calls: impossible where shadow stacks watch returns */
	uint64_t low, high;		/* addresses that the copy must reach (itself included) */
};

/* Where the instructions of an entry are in its copy. */
struct code_copy {
	uint8_t bytes[CODE_COPY_MAX];
	unsigned length;
	uint8_t starts[CODE_ENTRY_STEPS];
};

bool code_cpu_supported(void);

/* Decodes the entry of the function at address, whose first `length` bytes these are (all of it, as
 * far as known: branches back into the entry are looked for); behind `size` bytes (0: unknown)
 * only padding may be overwritten.
 * 0; -EILSEQ: bytes that cannot be moved or overwritten, *reason says why (static text). */
int code_entry_decode(uint64_t address, const uint8_t *bytes, size_t length, uint64_t size,
		      struct code_entry *, const char **reason);

/* The entry as it has to be at the address `at`.  -ERANGE: it does not reach what it refers to. */
int code_entry_move(const struct code_entry *, uint64_t at, struct code_copy *);

/* Whether a patch or a copy at `from` (CODE_COPY_MAX bytes) reaches `to`. */
bool code_reaches(uint64_t from, uint64_t to);

/* The furthest that two addresses may be apart. */
uint64_t code_reach(void);

/* A jump at from to to, CODE_PATCH_BYTES long. */
void code_jump(uint64_t from, uint64_t to, uint8_t *bytes);

/* Whether the bytes, found at address `from`, are such a jump; to where. */
bool code_is_jump(uint64_t from, const uint8_t *bytes, uint64_t *to);

/* The way from a patched function into the hook: pushes `real`, jumps to `entry`, changes nothing else.
 * CODE_STUB_BYTES.  The same instructions whatever the two are, so that they may be set anew while
 * threads are in it. */
void code_stub(uint64_t real, uint64_t entry, uint8_t *bytes);

/* What the stub pushes and where it goes; false: these bytes are none. */
bool code_is_stub(const uint8_t *bytes, uint64_t *real, uint64_t *entry);

/* What the kernel keeps of an interrupted thread in a signal frame, or makecontext in a context. */
struct code_context {
	uint64_t pc, sp;
	unsigned pc_offset;		/* of the pc, from the first of the words */
};
#define CODE_CONTEXT_WORDS	4u

/* Whether the words are the middle of such a thing. */
bool code_is_context(const uint64_t words[CODE_CONTEXT_WORDS], struct code_context *);

#endif
