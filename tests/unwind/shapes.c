/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shapes NAME: stacks that are hard to unwind; says what each event's stack must be. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static void *volatile sink;

/* Calls malloc with anything at all in the frame pointer. */
void *callm(size_t size, uintptr_t fp);
__asm__(".text\n.globl callm\n.type callm,@function\ncallm:\n.cfi_startproc\n"
	" push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp,0\n"
	" mov %rsi,%rbp\n call malloc@PLT\n pop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n ret\n"
	".cfi_endproc\n.size callm,.-callm\n");

static NOINLINE int garbage(void)
{
	char *pages = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t self[2] = { (uintptr_t)self, 0x1234 }, pair[4] = { (uintptr_t)(pair + 2), 1, (uintptr_t)pair, 2 };
	uintptr_t values[] = { 0, 1, 8, 0xdeadbeef, 0xffff800000000000, ~(uintptr_t)0, (uintptr_t)self, (uintptr_t)pair,
			       (uintptr_t)self + 1, (uintptr_t)pages + 4088, (uintptr_t)pages + 4096,
			       (uintptr_t)pages + 8192, (uintptr_t)values, (uintptr_t)garbage };
	unsigned count = sizeof(values) / sizeof(values[0]);

	munmap(pages + 4096, 4096);
	mprotect(pages + 8192, 4096, PROT_NONE);
	for (unsigned i = 0; i < 20 * count; i++)
		free(callm(7001, values[i % count]));
	printf("expect malloc 7001 %u\nframes malloc 7001 ^callm;garbage;main;\n", 20 * count);
	return 0;
}

/* The call is the last instruction of its function; what follows is another one. */
static NOINLINE __attribute__((noreturn)) void never_returns(void)
{
	free(malloc(7002));
	printf("expect malloc 7002 1\nframes malloc 7002 ^never_returns;caller_x;main;\n");
	exit(0);
}

static NOINLINE __attribute__((noreturn)) void caller_x(void)
{
	never_returns();
}

/* Realigned and grown frames above one another. */
static NOINLINE void leaf(void)
{
	char large[5000];

	sink = large;
	free(malloc(7003));
	memset(large, 0, sizeof(large));
}

static NOINLINE void middle(unsigned n)
{
	char *more = __builtin_alloca(n);

	sink = more;
	leaf();
	more[0] = 1;
}

static NOINLINE void outer(unsigned n)
{
	char aligned[64] __attribute__((aligned(64)));
	char vla[n];

	sink = aligned;
	sink = vla;
	middle(n);
	aligned[0] = vla[0] = 1;
}

static NOINLINE int frames(void)
{
	for (unsigned n = 1; n < 400; n++)
		outer(n);
	printf("expect malloc 7003 399\nframes malloc 7003 ^leaf;middle;outer;frames;main;\n");
	return 0;
}

static NOINLINE int recurse(int n)
{
	if (n % 10000 == 0)
		free(malloc(7004));
	return n ? recurse(n - 1) + 1 : 0;
}

/* Cut at the depth that was asked for, and only then. */
static NOINLINE int deep(void)
{
	int sum = recurse(100000);

	printf("expect malloc 7004 11\nframes malloc 7004 ^(recurse;)+\n");
	return sum != 100000;
}

static void *small_work(void *argument)
{
	for (int i = 0; i < 50; i++) {
		char *p = malloc(7005), *q = calloc(3, 9);

		p = realloc(p, 7006);
		free(p);
		free(q);
	}
	return argument;
}

static NOINLINE int small(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	for (int i = 0; i < 20; i++) {
		if (pthread_create(&thread, &attributes, small_work, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	printf("expect malloc 7005 1000\nexpect realloc 7006 1000\nlive 7006 0\n");
	printf("frames malloc 7005 ^small_work;start_thread;\n");
	return 0;
}

#define COROUTINES	16
#define SWITCHES	6

static struct coroutine {
	ucontext_t self, *back;
	char *stack;
} coroutines[COROUTINES];

static NOINLINE void body(int me)
{
	for (int i = 0; i < SWITCHES; i++) {
		sink = malloc(7007);
		swapcontext(&coroutines[me].self, coroutines[me].back);
	}
	for (;;)
		swapcontext(&coroutines[me].self, coroutines[me].back);
}

static void *carry(void *argument)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	ucontext_t here;

	pthread_mutex_lock(&turn);
	for (int i = 0; i < COROUTINES; i++) {
		coroutines[i].back = &here;
		swapcontext(&here, &coroutines[i].self);
	}
	pthread_mutex_unlock(&turn);
	return argument;
}

/* Each goes on in another thread each time. */
static NOINLINE int migrate(void)
{
	pthread_t threads[SWITCHES];

	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutines[i].self);
		coroutines[i].stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		coroutines[i].self.uc_stack.ss_sp = coroutines[i].stack;
		coroutines[i].self.uc_stack.ss_size = 65536;
		makecontext(&coroutines[i].self, (void (*)(void))body, 1, i);
	}
	for (int i = 0; i < SWITCHES; i++)
		pthread_create(&threads[i], NULL, carry, NULL);
	for (int i = 0; i < SWITCHES; i++)
		pthread_join(threads[i], NULL);
	printf("expect malloc 7007 %d\nlive 7007 %d\nframes malloc 7007 ^body(;__start_context|;[.]*)?\n",
	       COROUTINES * SWITCHES, COROUTINES * SWITCHES);
	return 0;
}

/* JIT code that calls malloc, with a frame and with nonsense in rbp; named for profilers. */
static NOINLINE int jit(void)
{
	uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3 };
	uint8_t wild[] = { 0x55, 0x48, 0xc7, 0xc5, 7, 0, 0, 0, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3 };
	void *(*function)(size_t) = malloc;
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	if (pages == MAP_FAILED)
		return 1;
	memcpy(code + 6, &function, sizeof(function));
	memcpy(wild + 10, &function, sizeof(function));
	memcpy(pages + 64, code, sizeof(code));
	memcpy(pages + 8192 - sizeof(wild), wild, sizeof(wild));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %zx replaced\n%lx %zx memtrack_test_jitted()\nnonsense\n%lx", (unsigned long)pages, sizeof(code) + 64,
		(unsigned long)pages + 64, sizeof(code), (unsigned long)pages);
	fclose(map);
	for (int i = 0; i < 50; i++) {
		free(((void *(*)(size_t))(uintptr_t)(pages + 64))(7008));
		free(((void *(*)(size_t))(uintptr_t)(pages + 8192 - sizeof(wild)))(7009));
	}
	printf("expect malloc 7008 50\nexpect malloc 7009 50\nframes malloc 7008 ^(.jit..)?memtrack_test_jitted..;jit;main;\n");
	printf("frames malloc 7009 ^.[^;]*(;[.]*)?$\n");
	return 0;
}

/* How much stack a heap call takes: what it changed of what was painted. */
static NOINLINE size_t painted_call(size_t size)
{
	enum { WORDS = 2048 };
	volatile uintptr_t *low;
	uintptr_t here;
	size_t used = 0;

	low = (volatile uintptr_t *)((uintptr_t)__builtin_frame_address(0) - WORDS * 8 - 256);
	here = (uintptr_t)low + WORDS * 8;
	for (int i = 0; i < WORDS; i++)
		low[i] = 0x5a5a5a5a5a5a5a5a;
	free(malloc(size));
	while (used < WORDS && low[used] == 0x5a5a5a5a5a5a5a5a)
		used++;
	return here - (uintptr_t)(low + used);
}

/* The first call from here misses every row, and later ones none. */
static NOINLINE int stack_use(const char *most)
{
	size_t first = painted_call(7010), worst = first;

	for (int i = 0; i < 100; i++) {
		size_t used = painted_call(7010);

		worst = used > worst ? used : worst;
	}
	if (getenv("SHAPES_SHOW"))
		fprintf(stderr, "%zu bytes at first, %zu at most\n", first, worst);
	printf("expect malloc 7010 101\n");
	return worst > (size_t)atol(most);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "garbage"))
		return garbage();
	if (!strcmp(name, "noreturn"))
		caller_x();
	if (!strcmp(name, "frames"))
		return frames();
	if (!strcmp(name, "deep"))
		return deep();
	if (!strcmp(name, "small"))
		return small();
	if (!strcmp(name, "migrate"))
		return migrate();
	if (!strcmp(name, "jit"))
		return jit();
	return argc > 2 ? stack_use(argv[2]) : 2;
}
