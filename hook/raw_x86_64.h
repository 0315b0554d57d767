/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: see hook/raw.h for the contract. */
#ifndef HOOK_RAW_X86_64_H
#define HOOK_RAW_X86_64_H

#include <stdatomic.h>
#include <stdint.h>

#define RAW_NR_read		0
#define RAW_NR_write		1
#define RAW_NR_close		3
#define RAW_NR_lseek		8
#define RAW_NR_mmap		9
#define RAW_NR_mprotect	10
#define RAW_NR_munmap		11
#define RAW_NR_brk		12
#define RAW_NR_rt_sigprocmask	14
#define RAW_NR_madvise		28
#define RAW_NR_capget		125
#define RAW_NR_munlock		150
#define RAW_NR_getpid		39
#define RAW_NR_socket		41
#define RAW_NR_connect		42
#define RAW_NR_sendto		44
#define RAW_NR_recvmsg		47
#define RAW_NR_shutdown		48
#define RAW_NR_bind		49
#define RAW_NR_listen		50
#define RAW_NR_setsockopt	54
#define RAW_NR_fcntl		72
#define RAW_NR_ftruncate	77
#define RAW_NR_getppid		110
#define RAW_NR_rt_sigpending	127
#define RAW_NR_rt_sigtimedwait	128
#define RAW_NR_prctl		157
#define RAW_NR_memfd_create	319
#define RAW_NR_mlock2		325
#define RAW_NR_gettid		186
#define RAW_NR_futex		202
#define RAW_NR_exit_group	231
#define RAW_NR_openat		257
#define RAW_NR_newfstatat	262
#define RAW_NR_readlinkat	267
#define RAW_NR_accept4		288
#define RAW_NR_prlimit64	302

#define RAW_TCB_TID		0x2d0
#define RAW_TCB_TAIL_MAX	65536u
#define RAW_ADDRESS_BITS	47u
#define RAW_PAGE_MAX		4096ul

static inline long raw_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline uintptr_t raw_thread_pointer(void)
{
	uintptr_t p;

	__asm__("movq %%fs:0, %0" : "=r"(p));
	return p;
}

static inline uintptr_t raw_control_block(void)
{
	return raw_thread_pointer();
}

static inline uint64_t raw_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* No lock prefix: only this thread and its own signal handlers write the word. */
static inline uint64_t raw_add_local(_Atomic uint64_t *word, uint64_t n)
{
	__asm__ volatile("xaddq %0, %1" : "+r"(n), "+m"(*word) : : "memory");
	return n;
}

static inline void raw_bump_local(_Atomic uint64_t *word, uint64_t n)
{
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "er"(n));
}

/* Only a hint: it never faults, and older processors take it for a nop. */
static inline void raw_prefetch_write(const void *p)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
}

static inline void raw_pause(void)
{
	__asm__ volatile("pause" : : : "memory");
}

#endif
