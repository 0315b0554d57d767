/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: see hook/raw.h for the contract. */
#ifndef HOOK_RAW_AARCH64_H
#define HOOK_RAW_AARCH64_H

#include <stdatomic.h>
#include <stdint.h>

#define RAW_NR_fcntl		25
#define RAW_NR_ftruncate	46
#define RAW_NR_openat		56
#define RAW_NR_close		57
#define RAW_NR_lseek		62
#define RAW_NR_read		63
#define RAW_NR_write		64
#define RAW_NR_capget		90
#define RAW_NR_readlinkat	78
#define RAW_NR_newfstatat	79
#define RAW_NR_exit_group	94
#define RAW_NR_futex		98
#define RAW_NR_rt_sigprocmask	135
#define RAW_NR_rt_sigpending	136
#define RAW_NR_rt_sigtimedwait	137
#define RAW_NR_prctl		167
#define RAW_NR_getpid		172
#define RAW_NR_getppid		173
#define RAW_NR_gettid		178
#define RAW_NR_socket		198
#define RAW_NR_bind		200
#define RAW_NR_listen		201
#define RAW_NR_connect		203
#define RAW_NR_sendto		206
#define RAW_NR_setsockopt	208
#define RAW_NR_shutdown		210
#define RAW_NR_recvmsg		212
#define RAW_NR_munmap		215
#define RAW_NR_brk		214
#define RAW_NR_mmap		222
#define RAW_NR_memfd_create	279
#define RAW_NR_mlock2		284
#define RAW_NR_mprotect		226
#define RAW_NR_madvise		233
#define RAW_NR_munlock		229
#define RAW_NR_accept4		242
#define RAW_NR_prlimit64	261

#define RAW_TCB_TID		0xd0
#define RAW_TCB_TAIL_MAX	(1u << 20)	/* the thread's static TLS */
#define RAW_ADDRESS_BITS	48u
#define RAW_PAGE_MAX		65536ul

static inline long raw_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

static inline uintptr_t raw_thread_pointer(void)
{
	uintptr_t p;

	__asm__("mrs %0, tpidr_el0" : "=r"(p));
	return p;
}

/* The control block ends where the thread pointer points; its size is the C library's affair. */
uintptr_t pthread_self(void) __attribute__((weak, visibility("default")));

static inline uintptr_t raw_control_block(void)
{
	return pthread_self ? pthread_self() : 0;
}

/* The virtual counter, one bit up with a one below: it may stand still from one event to the next,
 * and `busy` (trace/channel.h), the newest stamp made odd, must not be later than the next one. */
static inline uint64_t raw_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks << 1 | 1;
}

/* A handler that comes between the load and the store takes the reservation away (the return from
 * it does), so the store fails and the add begins anew.  The add is a release: x86 shows stores in
 * their order, and the drain relies on `busy` being seen before `pos`. */
#ifdef __ARM_FEATURE_ATOMICS
static inline uint64_t raw_add_local(_Atomic uint64_t *word, uint64_t n)
{
	uint64_t old;

	__asm__ volatile("ldaddl %2, %0, %1" : "=r"(old), "+Q"(*word) : "r"(n) : "memory");
	return old;
}

static inline void raw_bump_local(_Atomic uint64_t *word, uint64_t n)
{
	__asm__ volatile("stadd %1, %0" : "+Q"(*word) : "r"(n));
}
#else
static inline uint64_t raw_add_local(_Atomic uint64_t *word, uint64_t n)
{
	uint64_t old, sum;
	uint32_t failed;

	__asm__ volatile("1:	ldxr	%0, %3\n"
			 "	add	%1, %0, %4\n"
			 "	stlxr	%w2, %1, %3\n"
			 "	cbnz	%w2, 1b"
			 : "=&r"(old), "=&r"(sum), "=&r"(failed), "+Q"(*word) : "r"(n) : "memory");
	return old;
}

static inline void raw_bump_local(_Atomic uint64_t *word, uint64_t n)
{
	uint64_t sum;
	uint32_t failed;

	__asm__ volatile("1:	ldxr	%0, %2\n"
			 "	add	%0, %0, %3\n"
			 "	stxr	%w1, %0, %2\n"
			 "	cbnz	%w1, 1b"
			 : "=&r"(sum), "=&r"(failed), "+Q"(*word) : "r"(n));
}
#endif

static inline void raw_prefetch_write(const void *p)
{
	__asm__ volatile("prfm pstl1keep, %0" : : "Q"(*(const char *)p));
}

static inline void raw_pause(void)
{
	__asm__ volatile("yield" : : : "memory");
}

#endif
