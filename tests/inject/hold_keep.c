/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that was made to do other things has all of its registers, and goes on alone if memtrack dies. */
#include "inject/leftover.h"
#include "tests/inject/hold_fixture.h"

#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <sys/syscall.h>

/* Everything a call may change, in a way that would be noticed. */
__attribute__((target("avx512f"))) static void clobber_512(void)
{
	__asm__ volatile("vpternlogd $0xff, %%zmm0, %%zmm0, %%zmm0; vmovdqa64 %%zmm0, %%zmm17; vmovdqa64 %%zmm0, %%zmm31;"
			 "kxnorw %%k1, %%k1, %%k1; kmovw %%k1, %%k7"
			 ::: "xmm0", "xmm17", "xmm31");
}

static long clobber(long argument)
{
	volatile char stack[8192];

	memset((void *)stack, 0xa5, sizeof(stack));
	if (__builtin_cpu_supports("avx512f"))
		clobber_512();
	__asm__ volatile("pcmpeqd %%xmm1, %%xmm1; pcmpeqd %%xmm9, %%xmm9; fninit; fldpi; fstp %%st(0);"
			 "xor %%r8, %%r8; xor %%r9, %%r9; xor %%r10, %%r10; xor %%r11, %%r11"
			 ::: "xmm1", "xmm9", "r8", "r9", "r10", "r11", "memory", "cc");
	return argument + 1;
}

static long slow(long argument)
{
	atomic_store(&shared->seen, 1);
	nap_ms(300);
	return clobber(argument);
}

static long crash(long argument)
{
	clobber(argument);
	return *(volatile long *)(uintptr_t)argument;
}

__attribute__((target("avx512f"))) static void set_512(void)
{
	__asm__ volatile("mov $0x1234, %%eax; vpbroadcastd %%eax, %%zmm17; vpbroadcastd %%eax, %%zmm31; vpbroadcastd %%eax, %%zmm0;"
			 "kmovw %%eax, %%k1; kmovw %%eax, %%k7" ::: "eax", "xmm17", "xmm31", "xmm0");
}

__attribute__((target("avx512f"))) static int bad_512(void)
{
	uint32_t words[16], k1, k7, high[16];
	int bad = 0;

	__asm__ volatile("vmovdqu32 %%zmm17, %0; vmovdqu32 %%zmm31, %1; kmovw %%k1, %2; kmovw %%k7, %3"
			 : "=m"(words), "=m"(high), "=r"(k1), "=r"(k7));
	for (int k = 0; k < 16; k++)
		bad |= words[k] != 0x1234 || high[k] != 0x1234;
	return bad || k1 != 0x1234 || k7 != 0x1234;
}

/* Sets every general register, some flags and the red zone, and looks at them over and over until
 * shared->stop; 1 if one changed. */
long spin(_Atomic int *stop, _Atomic int *progress);
__asm__(".text\n"
	"spin:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	push %rdi; push %rsi\n"
	"	movq $0x5a5a5a5a, -8(%rsp); movq $0x6b6b6b6b, -64(%rsp); movq $0x7c7c7c7c, -128(%rsp)\n"
	"	mov $0x101, %rax; mov $0x102, %rbx; mov $0x103, %rcx; mov $0x104, %rdx; mov $0x105, %rbp\n"
	"	mov $0x108, %r8; mov $0x109, %r9; mov $0x10a, %r10; mov $0x10b, %r11; mov $0x10c, %r12\n"
	"	mov $0x10d, %r13; mov $0x10e, %r14; mov $0x10f, %r15\n"
	"	std\n"
	"1:	cmpl $0, (%rdi); jne 3f\n"
	"	lock incl (%rsi)\n"
	"	cmp $0x101, %rax; jne 2f; cmp $0x102, %rbx; jne 2f; cmp $0x103, %rcx; jne 2f; cmp $0x104, %rdx; jne 2f\n"
	"	cmp $0x105, %rbp; jne 2f; cmp $0x108, %r8; jne 2f; cmp $0x109, %r9; jne 2f; cmp $0x10a, %r10; jne 2f\n"
	"	cmp $0x10b, %r11; jne 2f; cmp $0x10c, %r12; jne 2f; cmp $0x10d, %r13; jne 2f; cmp $0x10e, %r14; jne 2f\n"
	"	cmp $0x10f, %r15; jne 2f; cmp (%rsp), %rsi; jne 2f; cmp 8(%rsp), %rdi; jne 2f\n"
	"	cmpq $0x5a5a5a5a, -8(%rsp); jne 2f; cmpq $0x6b6b6b6b, -64(%rsp); jne 2f; cmpq $0x7c7c7c7c, -128(%rsp); jne 2f\n"
	"	stc; jnc 2f\n"
	"	jmp 1b\n"
	"2:	cld; mov $1, %eax; jmp 4f\n"
	"3:	pushf; pop %rax; cld; shr $10, %eax; not %eax; and $1, %eax\n"	/* the direction flag is still set */
	"4:	pop %rsi; pop %rdi; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

/* 0 when nothing was lost; else a bit for each kind. */
static int registers_target(void)
{
	uint64_t low[2] = { 0x1111222233334444ull, 0x5555666677778888ull }, low_after[2];
	long double x87 = 0;
	uint32_t mxcsr = 0x3f80, mxcsr_after;
	int bad = 0;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		set_512();
	__asm__ volatile("movdqu %0, %%xmm9; ldmxcsr %1; fldl2t" : : "m"(low), "m"(mxcsr) : "xmm9", "st");
	atomic_store(&shared->ready, 1);
	bad |= (int)spin(&shared->stop, &shared->progress);
	__asm__ volatile("movdqu %%xmm9, %0; stmxcsr %1; fstpt %2" : "=m"(low_after), "=m"(mxcsr_after), "=m"(x87));
	if (memcmp(low, low_after, sizeof(low)) != 0 || mxcsr_after != mxcsr)
		bad |= 2;
	if (x87 < 3.32L || x87 > 3.33L)
		bad |= 4;
	if (__builtin_cpu_supports("avx512f") && bad_512())
		bad |= 8;
	return bad;
}

static void test_registers(void)
{
	pid_t pid = target_start(registers_target);
	const uint64_t none[6] = { 0 };
	char reason[INJECTION_REASON];
	struct injection *i;
	struct thread *t;
	int bad = 0, rc;
	int64_t r;

	target_ready();
	i = open_target(pid, 0);
	for (uint64_t k = 0; k < 60 && i; k++)
		bad += call_in(i, (uint64_t)(uintptr_t)clobber, k, &rc) != (long)k + 1;
	is_int(bad, 0, "60 functions called in it gave what they should");
	bad = 0;
	for (int k = 0; k < 60 && i; k++) {
		if (threads_hold(i, 0, &t, reason) != 0) {
			bad++;
			continue;
		}
		bad += remote_syscall(i, t, SYS_getpid, none, &r) != 0 || r != pid;
		thread_release(t);
	}
	is_int(bad, 0, "60 system calls in it too");
	is_int(call_in(i, (uint64_t)(uintptr_t)crash, 1, &rc), -1, "a function that crashes has no result");
	is_int(rc, -EFAULT, "and says so");
	is_int(call_in(i, 8, 1, &rc), -1, "nor has one that is nowhere");
	injection_close(i);
	is_int(target_end(pid), 0, "no register, flag or byte of the red zone changed");
}

static int take_leftovers(struct injection *i, void *argument, char reason[INJECTION_REASON])
{
	(void)argument;
	return leftover_remove(i, reason);
}

/* A tracer that dies with a call under way.  What the one before it left has to go first: there are only so many
 * places for the code of a call. */
static pid_t start_tracer(pid_t pid, uint64_t function)
{
	pid_t tracer;

	fflush(stdout);
	tracer = fork();
	if (tracer == 0) {
		char reason[INJECTION_REASON];
		struct injection *i;
		int rc;

		if (injection_open(&i, pid, NULL, reason) != 0)
			_exit(1);
		threads_with_all(i, take_leftovers, NULL, reason);
		atomic_store(&shared->more, 1);
		for (;;)
			call_in(i, function, 1, &rc);
	}
	return tracer;
}

static bool progresses(void)
{
	int before = atomic_load(&shared->progress);

	return wait_until(atomic_load(&shared->progress) != before);
}

static void test_death(int rounds)
{
	pid_t pid = target_start(registers_target), tracer;
	unsigned stuck = 0, random = 12345;
	char reason[INJECTION_REASON];
	struct injection *i;
	int rc;

	target_ready();
	tracer = start_tracer(pid, (uint64_t)(uintptr_t)slow);
	wait_until(atomic_load(&shared->seen));
	nap_ms(20);
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	ok(progresses(), "the thread finishes the call of a dead memtrack and goes on");
	for (int k = 0; k < rounds; k++) {
		struct timespec t = { 0, 0 };

		atomic_store(&shared->more, 0);
		tracer = start_tracer(pid, (uint64_t)(uintptr_t)clobber);
		wait_until(atomic_load(&shared->more));
		random = random * 1103515245 + 12345;
		t.tv_nsec = random % 2000000;
		nanosleep(&t, NULL);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
		stuck += !progresses();
	}
	is_int(stuck, 0, "so wherever memtrack is killed (%d times)", rounds);
	rc = injection_open(&i, pid, NULL, reason);
	is_int(rc, 0, "and it can be entered again");
	is_int(threads_with_all(i, take_leftovers, NULL, reason), 0, "what was left in it can be taken away");
	ok(!leftover_is_there(i), "and is gone");
	is_int(call_in(i, (uint64_t)(uintptr_t)clobber, 6, &rc), 7, "and it can be used");
	injection_close(i);
	is_int(target_end(pid), 0, "with all its registers");
}

/* A call that takes longer than its deadline can be left. */
static void test_deadline(void)
{
	pid_t pid = target_start(registers_target);
	const uint64_t arguments[6] = { 41 };
	char reason[INJECTION_REASON];
	struct injection *i;
	struct thread *t;
	uint64_t result = 0;

	target_ready();
	i = open_target(pid, 0);
	threads_hold(i, 0, &t, reason);
	is_int(remote_call(i, t, (uint64_t)(uintptr_t)slow, arguments, &result, 20), -ETIMEDOUT, "a slow call is not back yet");
	thread_release(t);
	ok(progresses(), "it is left, and the thread returns by itself");
	injection_close(i);
	is_int(target_end(pid), 0, "with all its registers");
}

int main(void)
{
	shared_init();
	test_registers();
	test_deadline();
	test_death(getenv("MEMTRACK_LONG") ? 1000 : 60);
	return done_testing();
}
