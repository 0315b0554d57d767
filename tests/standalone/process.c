/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes do to each other and to their descriptors: process MODE [ARG]. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* n blocks of a size, kept. */
static void keep(int n, size_t size)
{
	while (n--)
		if (!malloc(size))
			abort();
}

static int wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The child's blocks are of another size. */
static int do_fork(const char *self, const char *arg)
{
	pid_t pid;

	(void)self, (void)arg;
	keep(100, 1111);
	pid = fork();
	if (!pid) {
		keep(500, 2222);
		exit(7);
	}
	printf("child %d\n", wait_for(pid));
	pid = fork();
	if (!pid)
		_exit(8);	/* without a single allocation */
	printf("child %d\n", wait_for(pid));
	keep(100, 1111);
	return 0;
}

static int do_vfork(const char *self, const char *arg)
{
	pid_t pid;

	(void)self, (void)arg;
	keep(50, 1111);
	pid = vfork();
	if (!pid) {
		close(1);
		execl("/nonexistent/program", "program", (char *)NULL);
		_exit(9);
	}
	printf("child %d\n", wait_for(pid));
	keep(50, 1111);
	return 0;
}

/* Executes itself in the same process, then once more with an empty environment. */
static int do_exec(const char *self, const char *arg)
{
	char *const argv[] = { (char *)self, "exec", arg ? arg[0] == '1' ? "2" : "3" : "1", NULL };
	char *empty[] = { NULL };

	keep(30, arg ? 1000 + (size_t)atoi(arg) : 1000);
	execl("/nonexistent/program", "program", (char *)NULL);
	if (arg && *arg == '2')
		execve(self, argv, empty);
	else if (!arg || *arg == '1')
		execv(self, argv);
	printf("image %s of %d\n", arg, (int)getpid());
	return arg && *arg == '3' ? 0 : 1;
}

static int do_children(const char *self, const char *arg)
{
	char *const argv[] = { (char *)self, "keep", "2222", NULL };
	pid_t pid;
	int r;

	(void)arg;
	keep(10, 1111);
	r = posix_spawn(&pid, self, NULL, NULL, argv, environ);
	printf("spawned %d\n", r ? r : wait_for(pid));
	pid = fork();
	if (!pid) {
		execv(self, argv);
		_exit(1);
	}
	printf("executed %d\n", wait_for(pid));
	printf("system %d\n", system("env | grep -E '^(LD_PRELOAD|MEMTRACK_(OUTPUT|PORT|RESUME))='"));
	keep(10, 1111);
	return 0;
}

static int do_keep(const char *self, const char *arg)
{
	(void)self;
	keep(20, (size_t)atoi(arg));
	return 0;
}

/* The ways out. */
static int do_leave(const char *self, const char *arg)
{
	(void)self;
	keep(5, 3333);
	if (!strcmp(arg, "_exit"))
		_exit(3);
	if (!strcmp(arg, "_Exit"))
		_Exit(3);
	if (!strcmp(arg, "quick_exit"))
		quick_exit(3);
	if (!strcmp(arg, "abort"))
		abort();
	if (!strcmp(arg, "exit"))
		exit(3);
	if (!strcmp(arg, "kill"))
		kill(getpid(), SIGKILL);
	return 3;
}

/* Allocates in a destructor that runs after main, as static objects of C++ do. */
static int late;
static __attribute__((destructor)) void at_the_end(void)
{
	if (late)
		keep(3, 4444);
}

static int do_late(const char *self, const char *arg)
{
	(void)self, (void)arg;
	late = 1;
	keep(1, 3333);
	return 0;
}

/* Closes every descriptor, then writes a file of its own under each number up to the log's. */
static int do_close(const char *self, const char *arg)
{
	char text[] = "mine\n";
	int fd;

	(void)self;
	keep(20, 1111);
	for (fd = 3; fd < 2000; fd++)
		close(fd);
	do {
		fd = open(arg, O_WRONLY | O_CREAT | O_APPEND, 0600);
		if (fd < 0 || write(fd, text, 5) != 5)
			return 1;
	} while (fd < 1020);
	keep(500, 1111);
	return 0;
}

/* May not write more than so many bytes to a file, and wants SIGXFSZ. */
static volatile sig_atomic_t hit;
static void count(int signal) { (void)signal; hit++; }

static int do_limit(const char *self, const char *arg)
{
	struct rlimit limit = { (rlim_t)atoi(arg), (rlim_t)atoi(arg) };

	(void)self;
	signal(SIGXFSZ, count);
	signal(SIGPIPE, count);
	setrlimit(RLIMIT_FSIZE, &limit);
	keep(2000, 1111);
	printf("signals %d\n", (int)hit);
	return 0;
}

/* Gives up all system calls but the few that the program and its C library need. */
#define ALLOW(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int do_sandbox(const char *self, const char *arg)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_brk), ALLOW(SYS_mmap), ALLOW(SYS_munmap),
		ALLOW(SYS_newfstatat), ALLOW(SYS_futex), ALLOW(SYS_madvise),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };

	(void)self, (void)arg;
	keep(10, 1111);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	keep(400, 1111);
	puts("sealed");
	return 0;
}

/* Writes to stdout and stderr by descriptor, whatever those are. */
static int do_standard(const char *self, const char *arg)
{
	(void)self;
	keep(200, 1111);
	if (arg) {
		int fd = open(arg, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dprintf(fd, "fd %d\n", fd);
	}
	keep(200, 1111);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *self, const char *arg);
} modes[] = {
	{ "fork", do_fork }, { "vfork", do_vfork }, { "exec", do_exec }, { "children", do_children },
	{ "keep", do_keep }, { "leave", do_leave }, { "late", do_late }, { "close", do_close },
	{ "limit", do_limit }, { "standard", do_standard }, { "sandbox", do_sandbox },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
		if (argc > 1 && !strcmp(argv[1], modes[i].name))
			return modes[i].run(argv[0], argc > 2 ? argv[2] : NULL);
	return 2;
}
