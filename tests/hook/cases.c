/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cases NAME: programs that are hard on an interposer; each prints what the trace must hold as
 * "expect KEY VALUE" lines and exits 0, or says what went wrong and exits 1. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *volatile sink;
static char **arguments;

static int fail(const char *what)
{
	printf("FAIL %s\n", what);
	return 1;
}

static void expect(const char *key, unsigned long value)
{
	printf("expect %s %lu\n", key, value);
}

/* A handler that leaves by siglongjmp whatever it interrupted, the hook included. */
static sigjmp_buf back;
static volatile unsigned long jumps;

static void jump(int signal)
{
	(void)signal;
	jumps++;
	siglongjmp(back, 1);
}

/* mmap takes no lock that a jump could leave held. */
static int longjmp_case(void)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } }, stop = { 0 };
	volatile unsigned long rounds = 0;

	signal(SIGALRM, jump);
	if (!sigsetjmp(back, 1))	/* whole before the first jump */
		setitimer(ITIMER_REAL, &timer, NULL);
	while (jumps < 300) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		munmap(p, 4096);
		rounds++;
	}
	setitimer(ITIMER_REAL, &stop, NULL);
	for (int i = 0; i < 1000; i++) {
		sink = malloc(4321);
		free(sink);
	}
	expect("malloc-4321", 1000);
	return 0;
}

/* Frees and allocations from key destructors, in every round. */
static pthread_key_t key;

static void destroy(void *value)
{
	uintptr_t round = (uintptr_t)value;

	free(malloc(1000 + round));
	if (round < 3)
		pthread_setspecific(key, (void *)(round + 1));
}

static void *keyed_thread(void *unused)
{
	(void)unused;
	pthread_setspecific(key, (void *)1);
	return NULL;
}

static int destructors_case(void)
{
	pthread_t t;

	pthread_key_create(&key, destroy);
	for (int i = 0; i < 50; i++) {
		pthread_create(&t, NULL, keyed_thread, NULL);
		pthread_join(t, NULL);
	}
	expect("malloc-1001", 50);
	expect("malloc-1002", 50);
	expect("malloc-1003", 50);
	return 0;
}

static void *churn_thread(void *unused)
{
	free(malloc(2222));
	return unused;
}

static int churn_case(void)
{
	pthread_t t[16];

	for (int round = 0; round < 150; round++) {
		for (int i = 0; i < 16; i++)
			pthread_create(&t[i], NULL, churn_thread, NULL);
		for (int i = 0; i < 16; i++)
			pthread_join(t[i], NULL);
	}
	expect("malloc-2222", 150 * 16);
	return 0;
}

/* The child of a fork works on, untraced; the parent's trace is its own. */
static int fork_case(void)
{
	int status;

	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (int n = 0; n < 1000; n++)
				sink = malloc(3333);
			_exit(sink ? 0 : 1);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return fail("child");
		free(malloc(3334));
	}
	expect("malloc-3333", 0);
	expect("malloc-3334", 20);
	return 0;
}

/* A vfork child runs in the parent's memory: what it allocates is the parent's. */
static int vfork_case(void)
{
	int status;

	for (volatile int i = 0; i < 20; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			sink = malloc(5555);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return fail("child");
		free(sink);
	}
	expect("malloc-5555", 20);
	return 0;
}

/* The same process executes itself by every road; the last image allocates. */
static int exec_case(void)
{
	const char *left = getenv("ROADS");
	int n = left ? atoi(left) : 0;
	char next[16], *argv[] = { arguments[0], (char *)"exec", NULL };

	sink = malloc(7700 + (size_t)n);
	snprintf(next, sizeof next, "%d", n + 1);
	setenv("ROADS", next, 1);
	switch (n) {
	case 0: execv(arguments[0], argv); break;
	case 1: execve(arguments[0], argv, environ); break;
	case 2: execvp(arguments[0], argv); break;
	case 3: execl(arguments[0], argv[0], "exec", (char *)NULL); break;
	case 4: execlp(arguments[0], argv[0], "exec", (char *)NULL); break;
	case 5: execle(arguments[0], argv[0], "exec", (char *)NULL, environ); break;
	case 6: execvpe(arguments[0], argv, environ); break;
	default:
		expect("malloc-7707", 1);
		expect("malloc-7700", 1);
		return 0;
	}
	return fail("exec returned");
}

/* Neither the hook nor its socket is visible to the program or its children. */
static int hidden_case(void)
{
	char link[64], target[256];

	if (getenv("MEMTRACK_SOCKET"))
		return fail("MEMTRACK_SOCKET is visible");
	if (getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "memtrack"))
		return fail("LD_PRELOAD is visible");
	for (int fd = 3; fd < 256; fd++) {
		ssize_t n;

		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof target - 1);
		if (n > 0) {
			target[n] = 0;
			if (strstr(target, "memfd") || strstr(target, "socket"))
				return fail(target);
		}
	}
	return system("env | grep -q -e MEMTRACK_SOCKET -e memtrack[.]so") == 0 ? fail("a child sees us") : 0;
}

static int errno_case(void)
{
	for (int i = 0; i < 10000; i++) {
		void *p;

		errno = 12345;
		p = malloc(100);
		if (errno != 12345)
			return fail("malloc changed errno");
		p = realloc(p, 5000);
		free(p);
		if (errno != 12345)
			return fail("free changed errno");
	}
	errno = 0;
	if (malloc((size_t)-1 / 2) || errno != ENOMEM)
		return fail("ENOMEM");
	expect("malloc-100", 10000);
	return 0;
}

/* Names set by both roads, on oneself and on another thread. */
static void *named_thread(void *unused)
{
	prctl(PR_SET_NAME, "by prctl", 0, 0, 0);
	free(malloc(10));
	pthread_setname_np(pthread_self(), "by pthread");
	free(malloc(10));
	return unused;
}

static int names_case(void)
{
	pthread_t t;

	pthread_create(&t, NULL, named_thread, NULL);
	pthread_join(t, NULL);
	return 0;
}

/* A plugin in C++ in a program that has no C++: operator new is found in the plugin's scope. */
static int plugin_case(void)
{
	void *plugin = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
	int (*run)(void);

	if (!plugin)
		return fail(dlerror());
	run = (int (*)(void))dlsym(plugin, "plugin_run");
	if (!run || run() != 0)
		return fail("plugin_run");
	expect("new-777", 10);
	return 0;
}

/* Every form of reallocation that must not be taken for another. */
static int resize_case(void)
{
	volatile size_t huge = SIZE_MAX / 2;
	void *p = malloc(10), *q;

	q = realloc(p, huge);
	if (q)
		return fail("huge realloc succeeded");
	q = reallocarray(p, huge, 4);
	if (q)
		return fail("overflowing reallocarray succeeded");
	p = reallocarray(p, 10, 30);
	p = realloc(p, 20000);
	p = realloc(p, 0);
	if (p)
		free(p);
	expect("reallocarray-300", 1);
	expect("realloc-20000", 1);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	{ "longjmp", longjmp_case },
	{ "destructors", destructors_case },
	{ "churn", churn_case },
	{ "fork", fork_case },
	{ "vfork", vfork_case },
	{ "exec", exec_case },
	{ "hidden", hidden_case },
	{ "errno", errno_case },
	{ "names", names_case },
	{ "plugin", plugin_case },
	{ "resize", resize_case },
};

int main(int argc, char **argv)
{
	arguments = argv;
	for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++) {
		if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	}
	fprintf(stderr, "usage: cases NAME\n");
	return 2;
}
