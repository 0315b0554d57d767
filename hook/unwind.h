/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns a point of execution into a stack id of the region's depot (trace/channel.h).
 *
 * No lock, no system call, no libc call but _dl_find_object, no allocation: everything lives in
 * memory that the core reserved (untouched, private, zero-filled) and in the region.  It
 * dereferences nothing but memory that is proven readable (the thread's stack, ranges that the
 * launcher published, mapped unwind tables), and may be interrupted by a signal whose handler
 * captures again on the same thread.
 *
 * Of the caller's stack a capture takes 1.5 KiB when it makes a row (measured), 1.8 KiB when that
 * needs DWARF expressions (summed from -fstack-usage), 0.2 KiB at the same place again. */
#ifndef HOOK_UNWIND_H
#define HOOK_UNWIND_H

#include <stddef.h>
#include <stdint.h>

struct channel_header;
struct channel_region;
struct channel_thread;

#define UNWIND_DEPTH_MAX	256u	/* most frames of one stack */

/* Bytes of zero-filled, never touched, NORESERVE address space that unwind_init wants for at
 * most threads_max thread slots.  A few pages are touched at start, more with use. */
size_t unwind_reserve_bytes(unsigned threads_max);

/* Starts the unwinder on `reserved` (page-aligned) for the events of `region`; depth (at most
 * UNWIND_DEPTH_MAX) is the most frames of a stack: the innermost ones are kept.  Call again in a
 * fork child with its new region and the same `reserved`: the unwind rows stay, ids and modules
 * start afresh.  No capture may run at the same time. */
void unwind_init(void *reserved, struct channel_header *header, struct channel_region *region,
		 unsigned depth);

/* After `reserved` was made zero again: nothing is known from before.  unwind_init must follow. */
void unwind_forget_all(void);

/* The stack of thread slot `slot`, as an id: a depot node or an enum stack_root.
 * pc: return address of the interposed function (frame 0 is the user's call site);
 * sp: the stack pointer after that return; fp: the caller's frame pointer register.
 * thread->stack_low and stack_high must be right, or both 0. */
uint32_t unwind_capture(unsigned slot, struct channel_thread *thread, uintptr_t pc, uintptr_t sp,
			uintptr_t fp);

/* After a dlclose: finds which known modules are gone, and stamps them.  The next object that is
 * met begins a new epoch, unless it is one of them that came back. */
void unwind_modules_changed(void);

/* The slot begins a new thread: forgets what its predecessor left. */
void unwind_thread_start(unsigned slot, struct channel_thread *thread);

/* Memory is being unmapped: published readable ranges that touch it are no longer trusted.  Call it
 * before the pages go, so that nothing reads them any more, and once more after it: the launcher
 * may have looked in between. */
void unwind_forget_range(uintptr_t start, uintptr_t end);

#endif
