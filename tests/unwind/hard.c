/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes heap calls from stacks that are hard to unwind; the probe (probe.c) looks at each.
 * Build with -O2 -fomit-frame-pointer.  Usage: hard SCENARIO [FILE...] */
#include <alloca.h>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unwind/bare.h"

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned sink;
static unsigned seed = 1;

static unsigned draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static NOINLINE void leaf(void)
{
	free(malloc(draw(100)));
	sink++;
}

static NOINLINE void frame_array(unsigned depth);
static NOINLINE void frame_alloca(unsigned depth);
static NOINLINE void frame_vla(unsigned depth);
static NOINLINE void frame_aligned(unsigned depth);
static NOINLINE void frame_aligned_alloca(unsigned depth);
static NOINLINE void frame_tail(unsigned depth);
static NOINLINE void frame_qsort(unsigned depth);
static NOINLINE void frame_many(unsigned depth, int a, int b, int c, int d, int e, int f, int g, int h);

static NOINLINE void descend(unsigned depth)
{
	if (!depth) {
		leaf();
		return;
	}
	switch (draw(8)) {
	case 0: frame_array(depth - 1); break;
	case 1: frame_alloca(depth - 1); break;
	case 2: frame_vla(depth - 1); break;
	case 3: frame_aligned(depth - 1); break;
	case 4: frame_aligned_alloca(depth - 1); break;
	case 5: frame_tail(depth - 1); break;
	case 6: frame_qsort(depth - 1); break;
	case 7: frame_many(depth - 1, 1, 2, 3, 4, 5, 6, 7, (int)depth); break;
	}
	sink++;
}

static NOINLINE void frame_array(unsigned depth)
{
	volatile char bytes[300];

	bytes[depth] = 1;
	descend(depth);
	sink += (unsigned)bytes[depth];
}

static NOINLINE void frame_alloca(unsigned depth)
{
	volatile char *bytes = alloca(16 + draw(200));

	bytes[0] = 1;
	descend(depth);
	leaf();
	sink += (unsigned)bytes[0];
}

static NOINLINE void frame_vla(unsigned depth)
{
	volatile int words[1 + draw(50)];

	words[0] = 1;
	descend(depth);
	sink += (unsigned)words[0];
}

static NOINLINE void frame_aligned(unsigned depth)
{
	_Alignas(64) volatile char bytes[128];

	bytes[depth] = (char)((uintptr_t)bytes & 63);
	descend(depth);
	sink += (unsigned)bytes[depth];
}

static NOINLINE void frame_aligned_alloca(unsigned depth)
{
	_Alignas(128) volatile char bytes[128];
	volatile char *more = alloca(16 + draw(99));

	bytes[depth] = 1;
	more[0] = 1;
	descend(depth);
	sink += (unsigned)bytes[depth] + (unsigned)more[0];
}

static NOINLINE void frame_tail(unsigned depth)
{
	sink += depth;
	descend(depth);
}

static NOINLINE void frame_many(unsigned depth, int a, int b, int c, int d, int e, int f, int g, int h)
{
	leaf();
	descend(depth);
	sink += (unsigned)(a * b - c * d + e * f - g * h);
}

static unsigned qsort_depth;

static int by_descent(const void *a, const void *b)
{
	if (qsort_depth) {
		unsigned depth = qsort_depth;

		qsort_depth = 0;
		descend(depth);
	}
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void frame_qsort(unsigned depth)
{
	int numbers[] = { 3, 1, 2, 5 };

	qsort_depth = depth;
	qsort(numbers, 4, sizeof(int), by_descent);
	sink += (unsigned)numbers[0];
}

static void run_frames(void)
{
	for (int i = 0; i < 3000; i++)
		descend(1 + draw(24));
}

static void on_signal(int number)
{
	(void)number;
	leaf();
	descend(3);
}

static NOINLINE void raise_at(unsigned depth)
{
	_Alignas(64) volatile char bytes[64];

	bytes[0] = 1;
	if (depth)
		raise_at(depth - 1);
	else
		raise(SIGUSR1);
	sink += (unsigned)bytes[0];
}

static void set_handler(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static void set_alternate_stack(void)
{
	stack_t stack = { .ss_sp = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			  .ss_size = 65536 };

	sigaltstack(&stack, NULL);
}

static void run_signals(void)
{
	set_handler(SIGUSR1, on_signal, 0);
	for (unsigned i = 0; i < 100; i++)
		raise_at(i % 7);
}

static void run_altstack(void)
{
	set_alternate_stack();
	set_handler(SIGUSR1, on_signal, SA_ONSTACK);
	for (unsigned i = 0; i < 100; i++)
		raise_at(i % 7);
}

static volatile unsigned timer_hits;

static void on_timer(int number)
{
	(void)number;
	free(NULL);
	timer_hits++;
}

/* Interrupted at any instruction, prologues and the unwinder itself included. */
static void timer_at(int flags)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned hits = timer_hits;

	set_handler(SIGALRM, on_timer, flags | SA_RESTART);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned long i = 0; timer_hits - hits < 400 && i < 400000; i++)
		descend(1 + draw(12));
	setitimer(ITIMER_REAL, &never, NULL);
}

static void run_timer(void)
{
	timer_at(0);
	set_alternate_stack();
	timer_at(SA_ONSTACK);
}

#define COROUTINES 8
static ucontext_t contexts[COROUTINES], scheduler;

static void body(int me)
{
	for (int i = 0; i < 20; i++) {
		descend(1 + draw(6));
		swapcontext(&contexts[me], &scheduler);
	}
}

/* Each stack lies between pages that must not be touched. */
static void run_coroutines(void)
{
	const size_t page = 4096, size = 16 * 4096;

	for (int i = 0; i < COROUTINES; i++) {
		char *low = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mprotect(low + page, size, PROT_READ | PROT_WRITE);
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = low + page;
		contexts[i].uc_stack.ss_size = size;
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], (void (*)(void))body, 1, i);
	}
	for (int turn = 0; turn < 20; turn++)
		for (int i = 0; i < COROUTINES; i++)
			swapcontext(&scheduler, &contexts[i]);
}

static void *in_thread(void *argument)
{
	(void)argument;
	for (int i = 0; i < 20; i++) {
		leaf();
		frame_aligned(0);
		frame_qsort(1);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_attr_t attr;
	pthread_t threads[8];

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN > 65536 ? PTHREAD_STACK_MIN : 65536);
	for (int turn = 0; turn < 10; turn++) {
		for (int i = 0; i < 8; i++)
			pthread_create(&threads[i], &attr, in_thread, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
}

static NOINLINE unsigned recurse(unsigned depth)
{
	volatile unsigned keep = depth;

	if (depth % 1000 == 0)
		leaf();
	return depth ? recurse(depth - 1) + keep : 0;
}

static void run_recursion(void)
{
	sink += recurse(60000);
}

static jmp_buf home;

static NOINLINE void jump_from(unsigned depth)
{
	leaf();
	if (depth)
		jump_from(depth - 1);
	else
		longjmp(home, 1);
	sink++;
}

static void run_longjmp(void)
{
	for (volatile unsigned i = 0; i < 200; i++)
		if (!setjmp(home))
			jump_from(i % 9);
}

static void run_bare(void)
{
	uintptr_t loop[2];

	loop[0] = (uintptr_t)loop;
	loop[1] = (uintptr_t)leaf + 1;
	bare_call(leaf, 0);
	bare_call(leaf, 1);
	bare_call(leaf, ~(uintptr_t)7);
	bare_call(leaf, 0xdeadbeefdeadbee8);
	bare_call(leaf, (uintptr_t)loop);
	bare_call(leaf, (uintptr_t)__builtin_frame_address(0));
}

/* Code made at run time: with a frame pointer of its own, or without. */
static void run_jit(void)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, bare_framed, sizeof(bare_framed));
	memcpy(code + 256, bare_frameless, sizeof(bare_frameless));
	__builtin___clear_cache((char *)code, (char *)code + 4096);
	for (int i = 0; i < 10; i++) {
		((void (*)(void (*)(void)))(uintptr_t)code)(leaf);
		((void (*)(void (*)(void)))(uintptr_t)(code + 256))(leaf);
		sink++;
	}
}

/* Plugins that take each other's place; they call back through frames of different sizes. */
static void run_plugins(int count, char **files)
{
	for (int i = 0; i < 60; i++) {
		void *plugin = dlopen(files[i % count], RTLD_NOW | RTLD_LOCAL);
		void (*enter)(void (*)(void)) = plugin ? (void (*)(void (*)(void)))dlsym(plugin, "plugin_enter") : NULL;

		if (!enter)
			exit(1);
		enter(leaf);
		enter(leaf);
		dlclose(plugin);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenarios[] = {
		{ "frames", run_frames }, { "signals", run_signals }, { "altstack", run_altstack },
		{ "timer", run_timer }, { "coroutines", run_coroutines }, { "threads", run_threads },
		{ "recursion", run_recursion }, { "longjmp", run_longjmp }, { "bare", run_bare },
		{ "jit", run_jit },
	};

	if (argc > 3 && !strcmp(argv[1], "plugins"))
		run_plugins(argc - 2, argv + 2);
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(argv[1], scenarios[i].name))
			scenarios[i].run();
	printf("OK\n");
	return 0;
}
