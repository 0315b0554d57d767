/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hook needs from the CPU and the kernel directly: system calls that bypass libc (and so
 * never touch errno), the thread pointer, the time stamp counter, an add that one thread's signal
 * handlers cannot split.  One file per CPU gives
 *
 *   long raw_call6(long nr, long a, long b, long c, long d, long e, long f);   -errno on failure
 *   uintptr_t raw_thread_pointer(void);
 *   uintptr_t raw_control_block(void);    the C library's, of this thread: what pthread_self() gives;
 *                                         0: not known.  At a fixed distance from the thread pointer
 *   uint64_t raw_ticks(void);    the launcher's counter_read() is the same (launcher/counter.h)
 *   uint64_t raw_add_local(_Atomic uint64_t *, uint64_t);    returns the old value; whoever sees the
 *                                         new one sees all that was stored before
 *   void raw_bump_local(_Atomic uint64_t *, uint64_t);    the same, when nobody asks
 *   void raw_prefetch_write(const void *);    a hint that this line will be written
 *   void raw_pause(void);      between two looks at a word that another CPU will change
 *   RAW_NR_*  system call numbers
 *   RAW_TCB_TID  usual offset of the kernel tid in glibc's thread control block
 *   RAW_TCB_TAIL_MAX  most that lies between that block and the end of the thread's stack
 *   RAW_ADDRESS_BITS  of user space
 *   RAW_PAGE_MAX  pages are no larger on any kernel
 */
#ifndef HOOK_RAW_H
#define HOOK_RAW_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "hook/raw_x86_64.h"
#elif defined(__aarch64__)
#include "hook/raw_aarch64.h"
#else
#error "no hook/raw_CPU.h for this CPU yet"
#endif

#define raw_call(nr, a, b, c, d, e) \
	raw_call6((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#endif
