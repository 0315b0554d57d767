/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times a program that a tracer starts, from its exec to its death, and the tracer around it.
 *
 *	stopwatch PROGRAM TRACER... PROGRAM...
 *
 * runs TRACER with stdin from $STOPWATCH_INPUT (or /dev/null) and its output thrown away, and prints
 *
 *	PROGRAM_NS PROGRAM_CPU_NS PROGRAM_KIB ALL_NS ALL_CPU_NS STATUS
 *
 * time, CPU time and the largest memory of the first process that executes PROGRAM, then time and CPU time of
 * all.  ptrace follows the forks and execs up to there.  It costs the program nothing from then on, but
 * makes the kernel tell us of its death, with its usage, before its parent hears of it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FOLLOW (PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

struct lap {
	int64_t ns, cpu, kib;
};

/* program is 0 before its exec; session's status is what counts in the end. */
struct watch {
	char path[PATH_MAX];
	pid_t session, program;
	struct lap begin, lap, all;
	int status;
};

static int64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) < 0 ? 0 : t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "stopwatch: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void redirect(const char *path, int flags, int fd)
{
	int opened = open(path, flags);

	if (opened < 0 || dup2(opened, fd) < 0)
		fail(path);
	close(opened);
}

/* Waits for leave, which is given when it has been seized, then becomes the tracer. */
static void session(char **argv, int leave)
{
	const char *input = getenv("STOPWATCH_INPUT");
	char byte;

	if (read(leave, &byte, 1) != 1)
		exit(125);
	redirect(input && *input ? input : "/dev/null", O_RDONLY, 0);
	redirect("/dev/null", O_WRONLY, 1);
	if (!getenv("STOPWATCH_STDERR"))
		redirect("/dev/null", O_WRONLY, 2);
	execvp(argv[0], argv);
	fail(argv[0]);
}

static pid_t session_start(char **argv)
{
	int leave[2];
	pid_t pid;

	if (pipe2(leave, O_CLOEXEC) < 0)
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0)
		session(argv, leave[0]);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)FOLLOW) < 0)
		fail("ptrace");
	if (write(leave[1], "", 1) != 1)
		fail("pipe");
	close(leave[0]);
	close(leave[1]);
	return pid;
}

static bool executes(pid_t pid, const char *path)
{
	char link[32], exe[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, exe, sizeof(exe) - 1);
	if (n < 0)
		return false;
	exe[n] = '\0';
	return strcmp(exe, path) == 0;
}

/* What the process took before it became the program is not the program's. */
static void program_begins(struct watch *w, pid_t pid)
{
	clockid_t clock;

	ptrace(PTRACE_SETOPTIONS, pid, NULL, NULL);
	w->program = pid;
	w->begin.cpu = clock_getcpuclockid(pid, &clock) == 0 ? nanoseconds(clock) : 0;
	w->begin.ns = nanoseconds(CLOCK_MONOTONIC);
}

/* Lets a stop be what it would be without us: a signal is delivered, a stopped process stays so. */
static void stop_pass(struct watch *w, pid_t pid, int status)
{
	int event = status >> 16, request = PTRACE_CONT;
	intptr_t signal = event ? 0 : WSTOPSIG(status);

	if (event == PTRACE_EVENT_EXEC && !w->program && executes(pid, w->path))
		program_begins(w, pid);
	if (event == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP)
		request = PTRACE_LISTEN;
	ptrace(request, pid, NULL, (void *)signal);
}

static struct lap lap_since(struct lap begin, const struct rusage *usage)
{
	struct lap lap = { .ns = nanoseconds(CLOCK_MONOTONIC) - begin.ns, .kib = usage->ru_maxrss };

	lap.cpu = (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * INT64_C(1000000000) +
		(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * INT64_C(1000) - begin.cpu;
	return lap;
}

/* Until all are gone that we followed. */
static void watch_all(struct watch *w)
{
	struct lap start = { .ns = nanoseconds(CLOCK_MONOTONIC) };
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, __WALL, &usage)) > 0 || errno == EINTR) {
		if (pid > 0 && WIFSTOPPED(status)) {
			stop_pass(w, pid, status);
			continue;
		}
		if (pid == w->program)
			w->lap = lap_since(w->begin, &usage);
		if (pid == w->session) {
			w->all = lap_since(start, &usage);
			w->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
	}
}

int main(int argc, char **argv)
{
	struct watch w = { 0 };

	if (argc < 3) {
		fprintf(stderr, "usage: stopwatch PROGRAM TRACER... PROGRAM...\n");
		return 2;
	}
	if (!realpath(argv[1], w.path))
		fail(argv[1]);
	w.session = session_start(argv + 2);
	watch_all(&w);
	printf("%lld %lld %lld %lld %lld %d\n", (long long)w.lap.ns, (long long)w.lap.cpu,
		(long long)w.lap.kib, (long long)w.all.ns, (long long)w.all.cpu, w.status);
	return 0;
}
