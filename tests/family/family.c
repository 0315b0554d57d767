/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs with children of every kind.  family MODE [N]: prints what it did; exit 0.
 *
 * Blocks are told apart by size: the parent's are of PARENT bytes, a child's of CHILD bytes. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARENT	10
#define CHILD	77

extern char **environ;

static void blocks(int n, size_t size)
{
	while (n--)
		free(malloc(size));
}

static void keep(int n, size_t size)
{
	while (n--) {
		char *volatile p = malloc(size);

		*p = 1;
	}
}

static int wait_all(void)
{
	int bad = 0, status;
	pid_t pid;

	while ((pid = wait(&status)) > 0 || (pid < 0 && errno == EINTR))
		bad += pid > 0 && status != 0;
	return bad;
}

/* Seven children leave 1 MiB each, the parent a thousand blocks. */
static int mode_leak(int n)
{
	for (int i = 0; i < 7; i++)
		if (fork() == 0) {
			keep(1, 1 << 20);
			_exit(0);
		}
	keep(n, PARENT);
	return wait_all();
}

static int mode_deep(int n)
{
	int status = 0;

	blocks(10, CHILD);
	if (n == 0)
		return 0;
	if (fork() == 0)
		_exit(mode_deep(n - 1));
	wait(&status);
	return WEXITSTATUS(status);
}

static void *forker(void *arg)
{
	int *bad = arg;

	blocks(5, PARENT);
	if (fork() == 0) {
		blocks(20, CHILD);
		_exit(0);
	}
	*bad = wait_all();
	blocks(5, PARENT);
	return NULL;
}

static int mode_thread(int n)
{
	pthread_t thread;
	int bad = 1;

	(void)n;
	pthread_create(&thread, NULL, forker, &bad);
	pthread_join(thread, NULL);
	return bad;
}

/* A child without libc's knowledge: its control block still has the parent's tid. */
static int mode_raw(int n)
{
	blocks(100, PARENT);
	for (int i = 0; i < n; i++)
		if (syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0) == 0) {
			blocks(20, CHILD);
			syscall(SYS_exit_group, 0);
		}
	blocks(100, PARENT);
	return wait_all();
}

static int in_parents_memory(void *arg)
{
	atomic_fetch_add((_Atomic int *)arg, 1);
	return 0;
}

/* Shares the memory and runs beside: it must not allocate, as libc's own state is shared, too. */
static int mode_vm(int n)
{
	static _Atomic int count;
	char *stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < n; i++) {
		clone(in_parents_memory, stack + (1 << 16), CLONE_VM | SIGCHLD, &count);
		blocks(10, PARENT);
		wait_all();
	}
	return count != n;
}

/* The child allocates before it executes: in the parent's heap, rightly. */
static int mode_vfork(int n)
{
	char *volatile kept[64];
	char *const args[] = { "true", NULL };

	for (int i = 0; i < n; i++) {
		blocks(10, PARENT);
		if (vfork() == 0) {
			kept[i % 64] = malloc(32);
			execve("/bin/true", args, environ);
			_exit(127);
		}
	}
	return wait_all();
}

static int mode_spawn(int n)
{
	char *const args[] = { "true", NULL };
	int bad = 0;
	pid_t pid;

	for (int i = 0; i < n; i++) {
		blocks(10, PARENT);
		bad += posix_spawn(&pid, "/bin/true", NULL, NULL, args, environ) != 0;
		bad += posix_spawnp(&pid, "true", NULL, NULL, args, environ) != 0;
		bad += wait_all();
		bad += system("true") != 0;
		bad += pclose(popen("true", "r")) != 0;
	}
	return bad;
}

static volatile sig_atomic_t forks, forks_wanted, maps_first;

static void fork_now(int signal)
{
	int saved = errno;

	(void)signal;
	if (forks < forks_wanted && syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0) == 0) {
		if (maps_first && forks % 2)
			munmap(mmap(NULL, CHILD << 12, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), CHILD << 12);
		forks = -1;	/* returns into the interrupted call */
	} else {
		forks++;
	}
	errno = saved;
}

/* The parent makes blocks until n children were forked in the midst of that; they go on from there. */
static int fork_while(void (*make)(void), int timer, int n)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	int done = 0;

	forks_wanted = n;
	signal(timer == ITIMER_REAL ? SIGALRM : SIGVTALRM, fork_now);
	setitimer(timer, &every, NULL);
	while (forks >= 0 && forks < n) {
		make();
		done++;
	}
	if (forks < 0)
		syscall(SYS_exit_group, 0);
	setitimer(timer, &never, NULL);
	printf("%d\n", done);
	fflush(stdout);
	return wait_all();
}

static void make_block(void)
{
	free(malloc(PARENT));
}

/* The handler forks in the midst of malloc or the hook. */
static int mode_handler(int n)
{
	return fork_while(make_block, ITIMER_REAL, n);
}

/* A path through two places that the hook has not seen yet, so it unwinds all of it. */
static __attribute__((noinline)) void go_deep(uint64_t path, int depth)
{
	if (depth == 0) {
		free(realloc(malloc(PARENT), PARENT + 1));
	} else if (path >> 63) {
		go_deep(path << 1, depth - 1);
		__asm__ volatile("# one place" : : "r"(depth));
	} else {
		go_deep(path << 1, depth - 1);
		__asm__ volatile("# another one" : : "r"(depth));
	}
}

static void make_deep(void)
{
	static uint64_t path = 1;

	path = path * 6364136223846793005u + 1442695040888963407u;
	go_deep(path, 60);
}

/* Mostly in the midst of a capture: the timer counts the time that the program itself runs.  Every other child
 * begins its own trace in the handler. */
static int mode_deep_handler(int n)
{
	maps_first = 1;
	return fork_while(make_deep, ITIMER_VIRTUAL, n);
}

static _Atomic int stop;

static void *churn(void *arg)
{
	uintptr_t *count = arg;

	while (!stop) {
		free(malloc(PARENT + *count % 3));
		if (++*count % 100 == 0)
			usleep(500);
	}
	return NULL;
}

static void at_fork(void)
{
	blocks(3, 500);
}

/* Children of a process whose threads allocate all the time, with handlers that do so as well. */
static int mode_busy(int n)
{
	pthread_t threads[3];
	uintptr_t counts[3] = { 0 };
	int bad = 0;

	pthread_atfork(at_fork, at_fork, at_fork);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, churn, &counts[i]);
	for (int i = 0; i < n; i++) {
		if (fork() == 0) {
			blocks(20, CHILD);
			_exit(0);
		}
		bad += wait_all();
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", (unsigned long)(counts[0] + counts[1] + counts[2]));
	return bad;
}

/* Children die in the middle of whatever they do. */
static int mode_killed(int n)
{
	pid_t pid;

	for (int i = 0; i < n; i++) {
		pid = fork();
		if (pid == 0)
			for (;;)
				blocks(1, CHILD);
		usleep((useconds_t)(i * 977 % 5000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		blocks(10, PARENT);
	}
	return 0;
}

/* n children at once, each for as long as a file stands. */
static int mode_crowd(int n)
{
	int hold[2];
	char byte;

	if (pipe(hold) < 0)
		return 1;
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			close(hold[1]);
			blocks(20, CHILD);
			_exit(read(hold[0], &byte, 1) != 0);
		}
	usleep(300000);
	close(hold[1]);
	return wait_all();
}

static int mode_daemon(int n)
{
	keep(n, PARENT);
	fflush(stdout);
	if (fork() != 0)
		_exit(0);
	setsid();
	blocks(3, CHILD);
	if (fork() != 0)
		_exit(0);
	close(0);
	close(1);
	close(2);
	usleep(400000);
	blocks(n, CHILD);
	_exit(5);
}

/* n generations, each dead a moment after it made the next; only the last one allocates. */
static int mode_chain(int n)
{
	while (n-- > 0) {
		if (fork() != 0)
			_exit(0);
		usleep(2000);
	}
	blocks(50, CHILD);
	return 5;
}

static int mode_exec(int n)
{
	char *const args[] = { "family", "work", "30", NULL };

	keep(n, PARENT);
	execv("/proc/self/exe", args);
	return 1;
}

static int mode_work(int n)
{
	blocks(n, CHILD);
	return 0;
}

/* Each way to start a program: how many variables of memtrack's does it see? */
static int mode_environment(int n)
{
	static char script[] = "env | grep -c -e memtrack.so -e MEMTRACK_; true";
	char *const args[] = { "sh", "-c", script, NULL };
	pid_t pid;
	FILE *f;
	int c;

	(void)n;
	if (system(script))
		return 1;
	f = popen(script, "r");
	while ((c = getc(f)) != EOF)
		putchar(c);
	pclose(f);
	fflush(stdout);
	posix_spawn(&pid, "/bin/sh", NULL, NULL, args, environ);
	wait_all();
	posix_spawnp(&pid, "sh", NULL, NULL, args, environ);
	wait_all();
	for (int i = 0; i < 5; i++) {
		if (fork() == 0) {
			if (i == 0)
				execve("/bin/sh", args, environ);
			else if (i == 1)
				execvpe("sh", args, environ);
			else if (i == 2)
				execvp("sh", args);
			else if (i == 3)
				execl("/bin/sh", "sh", "-c", script, NULL);
			else
				fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), args, environ);
			_exit(127);
		}
		wait_all();
	}
	return 0;
}

/* Programs that cannot be traced, named by the environment's P, each way. */
static int mode_run(int n)
{
	const char *program = getenv("P");
	char *args[] = { (char *)program, NULL }, *none[] = { NULL };
	char **env = n ? none : environ;
	pid_t pid;

	blocks(10, PARENT);
	posix_spawn(&pid, program, NULL, NULL, args, env);
	wait_all();
	if (fork() == 0) {
		blocks(10, CHILD);
		execve(program, args, env);
		_exit(127);
	}
	wait_all();
	if (vfork() == 0) {
		execve(program, args, env);
		_exit(127);
	}
	wait_all();
	if (fork() == 0) {	/* fails, and goes on as what it is */
		execve("/nonexistent/program", args, env);
		blocks(10, CHILD);
		_exit(0);
	}
	return wait_all();
}

static const struct {
	const char *name;
	int (*run)(int n);
} modes[] = {
	{ "leak", mode_leak }, { "deep", mode_deep }, { "thread", mode_thread }, { "raw", mode_raw },
	{ "vm", mode_vm }, { "vfork", mode_vfork }, { "spawn", mode_spawn }, { "handler", mode_handler },
	{ "deep_handler", mode_deep_handler },
	{ "busy", mode_busy }, { "killed", mode_killed }, { "crowd", mode_crowd },
	{ "daemon", mode_daemon }, { "chain", mode_chain }, { "exec", mode_exec }, { "work", mode_work },
	{ "environment", mode_environment }, { "run", mode_run },
};

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc > 1 && !strcmp(argv[1], modes[i].name))
			return modes[i].run(n);
	return 2;
}
