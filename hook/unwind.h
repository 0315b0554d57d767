/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns a point of execution into a stack id of the region's depot (trace/channel.h).
 *
 * No lock, no system call, no libc call, no allocation: everything lives in memory that the
 * core reserved (untouched, private, zero-filled) and in the region.  A capture takes less than
 * 1 KiB of the caller's stack, dereferences nothing but memory that is proven readable (the
 * thread's stack, ranges that the launcher published, mapped unwind tables) and may be
 * interrupted by a signal whose handler captures again on the same thread. */
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

/* The stack of thread slot `slot`, as an id: a depot node or an enum stack_root.
 * pc: return address of the interposed function (frame 0 is the user's call site);
 * sp: the stack pointer after that return; fp: the caller's frame pointer register.
 * Fills in thread->stack_low and stack_high when they are 0. */
uint32_t unwind_capture(unsigned slot, struct channel_thread *thread, uintptr_t pc, uintptr_t sp,
			uintptr_t fp);

/* After a dlclose: finds which known modules are gone, stamps them and begins a new epoch. */
void unwind_modules_changed(void);

/* The slot begins a new thread: forgets what its predecessor left.  Optional: without it the
 * bounds and the previous stack of the old thread are dropped as soon as they do not fit. */
void unwind_thread_start(unsigned slot, struct channel_thread *thread);

/* Memory was unmapped: published readable ranges that touch it are no longer trusted. */
void unwind_forget_range(uintptr_t start, uintptr_t end);

#endif
