/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times a program that a tracer starts, from its exec to its death, and the tracer around it.
 *
 *	stopwatch TRACER... stopwatch --inner PROGRAM...
 *
 * runs TRACER with stdin from $STOPWATCH_INPUT (or /dev/null) and its output thrown away, and
 * prints: nanoseconds of the program, nanoseconds of all, nanoseconds of CPU time of all, status.
 * The inner one tells the outer one its pid and when it execs the program; a pidfd tells the end.
 * stopwatch_static is the same, linked statically: heaptrack, which takes itself out of the
 * environment of the first program it is loaded into, must not be loaded into the inner one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INNER_FD 200

struct start {
	int64_t pid, ns;
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "stopwatch: %s: %s\n", what, strerror(errno));
	exit(125);
}

static int inner(char **argv)
{
	struct start start = { getpid(), now() };

	if (write(INNER_FD, &start, sizeof(start)) != sizeof(start))
		fail("no outer stopwatch");
	close(INNER_FD);
	execvp(argv[0], argv);
	fail(argv[0]);
	return 125;
}

static void redirect(const char *path, int flags, int fd)
{
	int opened = open(path, flags);

	if (opened < 0 || dup2(opened, fd) < 0)
		fail(path);
	close(opened);
}

static pid_t session_start(char **argv, int telling)
{
	const char *input = getenv("STOPWATCH_INPUT");
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid > 0)
		return pid;
	if (dup2(telling, INNER_FD) < 0)
		fail("dup2");
	redirect(input && *input ? input : "/dev/null", O_RDONLY, 0);
	redirect("/dev/null", O_WRONLY, 1);
	if (!getenv("STOPWATCH_STDERR"))
		redirect("/dev/null", O_WRONLY, 2);
	execvp(argv[0], argv);
	fail(argv[0]);
	return -1;
}

/* Nanoseconds from the exec to the death of the inner program; 0 when it never said a word. */
static int64_t program_time(int told)
{
	struct start start;
	struct pollfd death = { .events = POLLIN };

	if (read(told, &start, sizeof(start)) != sizeof(start))
		return 0;
	death.fd = (int)syscall(SYS_pidfd_open, (pid_t)start.pid, 0);
	while (death.fd >= 0 && poll(&death, 1, -1) < 0 && errno == EINTR)
		;
	return now() - start.ns;
}

static int64_t cpu_time(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * INT64_C(1000000000) +
		(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * INT64_C(1000);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int64_t begin, program;
	int pipe_fds[2], status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: stopwatch TRACER... stopwatch --inner PROGRAM...\n");
		return 2;
	}
	if (strcmp(argv[1], "--inner") == 0)
		return inner(argv + 2);
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		fail("pipe");
	begin = now();
	pid = session_start(argv + 1, pipe_fds[1]);
	close(pipe_fds[1]);
	program = program_time(pipe_fds[0]);
	if (wait4(pid, &status, 0, &usage) < 0)
		fail("wait");
	printf("%lld %lld %lld %d\n", (long long)program, (long long)(now() - begin),
		(long long)cpu_time(&usage), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
