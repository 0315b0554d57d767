/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads and signal handlers that allocate: workers MODE [N].  Prints facts as "say KEY VALUE". */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define SLOTS 64
#define PAGE 4096u

static void *_Atomic slots[SLOTS];
static int rounds = 4000;

/* Blocks change hands: whoever takes one out of a slot frees it. */
static void *crossing(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;

	for (int i = 0; i < rounds; i++) {
		size_t size = 16 + (seed = seed * 1103515245 + 12345) / 65536 % 200;

		free(atomic_exchange(&slots[seed / 65536 % SLOTS], malloc(size)));
		if (i % 64 == 0)
			free(realloc(malloc(size), size + 4000));
	}
	return NULL;
}

static void cross(int threads)
{
	pthread_t t[64];

	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, crossing, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		free(atomic_exchange(&slots[i], NULL));
}

static void *short_life(void *arg)
{
	pthread_setname_np(pthread_self(), "short");
	free(malloc(100 + (size_t)(uintptr_t)arg % 7));
	return malloc(777);
}

static void churn(int threads)
{
	for (int i = 0; i < threads; i++) {
		pthread_t t;
		void *block;

		pthread_create(&t, NULL, short_life, (void *)(uintptr_t)i);
		pthread_join(t, &block);
		free(block);
	}
	printf("say threads %d\n", threads);
}

/* Keys whose destructors allocate and free, also after everybody else's. */
static pthread_key_t late_key;

static void late(void *block)
{
	static _Thread_local int round;

	free(block);
	if (++round < 4)
		pthread_setspecific(late_key, malloc(321));
}

static void *has_late(void *arg)
{
	pthread_setspecific(late_key, malloc(321));
	return arg;
}

static void destructors(int threads)
{
	pthread_key_create(&late_key, late);
	for (int i = 0; i < threads; i++) {
		pthread_t t;

		pthread_create(&t, NULL, has_late, NULL);
		pthread_join(t, NULL);
	}
}

static void *named(void *name)
{
	void *p;

	prctl(PR_SET_NAME, name);
	p = malloc(2001);
	pthread_setname_np(pthread_self(), "second name");
	free(p);
	printf("say tid %ld\n", (long)syscall(SYS_gettid));
	return NULL;
}

static void names(int n)
{
	static const char *const list[] = {
		"a) free ts=1 b(", "\x1b[31mred\x1b[0m", "tab\tnew\nline", "caf\xc3\xa9 \xff\xfe", "", "fifteen bytes..",
	};

	(void)n;
	for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
		pthread_t t;

		pthread_create(&t, NULL, named, (void *)(uintptr_t)list[i]);
		pthread_join(t, NULL);
	}
}

/* "net-1" and "disk-1" allocate a hundred blocks each, all of a size of their own. */
static void *works(void *name)
{
	void *blocks[100];

	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 100; i++)
		blocks[i] = malloc(strncmp(name, "net", 3) ? 3002 : 3001);
	for (int i = 0; i < 100; i++)
		free(blocks[i]);
	return NULL;
}

static void filters(int n)
{
	pthread_t a, b;

	(void)n;
	pthread_create(&a, NULL, works, "net-1");
	pthread_create(&b, NULL, works, "disk-1");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static void sizes(int n)
{
	void *p[20];

	for (int i = 0; i < 20; i++)
		p[i] = malloc(i % 2 ? 5000 : 50);
	for (int i = 0; i < 20; i++)
		free(p[i]);
	(void)n;
}

static _Atomic long handled;
static sigjmp_buf back;
static int jumps;

/* Pages: glibc's mmap may be called anywhere, also by a handler that interrupts itself. */
static void take_and_give(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, bytes);
}

static void handler(int signal)
{
	(void)signal;
	take_and_give(2 * PAGE);
	handled++;
	if (jumps && handled % 8 == 0)
		siglongjmp(back, 1);
}

static void *writes(void *arg)
{
	for (long i = 0; handled < *(int *)arg; i++)
		take_and_give(3 * PAGE);
	return NULL;
}

/* The handler interrupts calls, and the writing of the log in the middle. */
static void interrupt(int n)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	volatile int most = n;

	sigaction(SIGALRM, &action, NULL);
	if (!jumps || !sigsetjmp(back, 1))	/* whole before the first jump */
		setitimer(ITIMER_REAL, &often, NULL);
	writes((void *)&most);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("say handled %ld\n", (long)handled);
	take_and_give(7 * PAGE);
}

static void jump(int n)
{
	jumps = 1;
	interrupt(n);
}

static const struct {
	const char *name;
	void (*run)(int);
} modes[] = {
	{ "cross", cross }, { "churn", churn }, { "destructors", destructors }, { "names", names },
	{ "filters", filters }, { "sizes", sizes }, { "interrupt", interrupt }, { "jump", jump },
};

int main(int argc, char **argv)
{
	if (argc > 3)
		rounds = atoi(argv[3]);
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (argc > 1 && !strcmp(argv[1], modes[i].name)) {
			modes[i].run(argc > 2 ? atoi(argv[2]) : 0);
			return 0;
		}
	}
	return 2;
}
