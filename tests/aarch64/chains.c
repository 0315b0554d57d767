/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocates by known ways; says which: "expect SIZE COUNT FUNCTION;FUNCTION;...", innermost first. */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define KNOWN __attribute__((noinline, noclone))

static void *volatile sink;

KNOWN void leaf(size_t size)
{
	sink = malloc(size);
	free(sink);
	sink = NULL;
}

KNOWN int recursive(int depth)
{
	if (!depth) {
		leaf(9001);
		return 1;
	}
	return recursive(depth - 1) + depth;
}

KNOWN int with_array(int n)
{
	volatile char array[100000];

	array[n] = 1;
	leaf(9002);
	return array[n];
}

KNOWN int with_alloca(int n)
{
	char *array = alloca((size_t)n * 100 + 16);

	memset(array, n, (size_t)n * 100 + 16);
	leaf(9003);
	return array[n];
}

KNOWN int aligned(int n)
{
	_Alignas(256) volatile char array[256];

	array[n] = 1;
	return with_alloca(n) + array[n];
}

KNOWN void *in_thread(void *argument)
{
	leaf(9004);
	return argument;
}

/* The interrupted function goes on behind the break. */
KNOWN void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	leaf(9005);
	((ucontext_t *)context)->uc_mcontext.pc += 4;
}

KNOWN long interrupted(long n)
{
	__asm__ volatile("brk #0" : "+r"(n));
	return n + 1;
}

KNOWN long around(long n)
{
	return interrupted(n) + 2;
}

static void *run(void *(*function)(void *))
{
	pthread_t thread;
	void *result = NULL;

	if (!pthread_create(&thread, NULL, function, NULL))
		pthread_join(thread, &result);
	return result;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	long sum = 0;

	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < 20; i++) {
		sum += recursive(3);
		sum += with_array(i);
		sum += aligned(i);
		sum += around(i);
	}
	run(in_thread);
	printf("expect 9001 20 leaf;recursive;recursive;recursive;recursive;main;\n"
	       "expect 9002 20 leaf;with_array;main;\n"
	       "expect 9003 20 leaf;with_alloca;aligned;main;\n"
	       "expect 9004 1 leaf;in_thread;\n"
	       "expect 9005 20 leaf;on_trap;interrupted;around;main;\n");
	return sum == 0;
}
