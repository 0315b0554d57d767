/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single-steps itself and allocates at every instruction: stacks through a signal frame into whatever
 * the code does there.  x86-64: the trap flag.  Linked with -z lazy, so that the loader's own code is
 * among it; none of it allocates. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned long steps;

static void on_trap(int signal)
{
	void *volatile block = malloc(24);

	(void)signal;
	steps++;
	free(block);
}

static inline void step(int on)
{
	if (on)
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory");
	else
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "cc", "memory");
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int aligned(int n)
{
	_Alignas(64) volatile int room[16];

	room[n & 15] = n;
	return room[n & 15] + 1;
}

__attribute__((noinline)) static int sized(int n)
{
	volatile char room[n + 16];

	memset((char *)room, n, (size_t)n + 16);
	return room[n / 2];
}

static int jumps(void)
{
	jmp_buf to;

	if (setjmp(to))
		return 1;
	longjmp(to, 1);
}

static void work(void)
{
	static char text[400], copy[400];
	int numbers[] = { 5, 3, 9, 1 };
	struct timespec now;
	sigset_t set;
	pid_t child;

	snprintf(text, sizeof(text), "%d %s %.3f", 7, "seven", 7.7);
	memcpy(copy, text, sizeof(copy));
	memmove(copy + 1, copy, 300);
	numbers[0] += strcmp(copy, text) + (int)strlen(text) + (strchr(text, 'v') != NULL);
	qsort(numbers, 4, sizeof(*numbers), by_value);
	numbers[0] += aligned(numbers[1]) + sized(numbers[2]) + jumps();
	clock_gettime(CLOCK_MONOTONIC, &now);
	numbers[1] = (int)(strtod("1.5e3", NULL) + sin(now.tv_nsec) + pow(1.5, numbers[2]));
	sigemptyset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = vfork();
	if (!child)
		_exit(numbers[1] == 12345);
	waitpid(child, NULL, 0);
	getppid();
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_trap };

	sigaction(SIGTRAP, &action, NULL);
	on_trap(0);
	step(1);
	work();
	step(0);
	printf("%s\n", steps > 2000 ? "stepped" : "not stepped");
	return 0;
}
