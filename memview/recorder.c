/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting, hearing and ending the memtrack behind the viewer. */
#include "memview/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "memview/now.h"
#include "memview/viewer.h"
#include "wire/viewer.h"

#define END_MS		10000	/* memtrack's for detaching and writing the rest */
#define KILL_MS		3000	/* from SIGTERM to SIGKILL */
#define POLL_MS		100

/* Beside memview, where the build makes it, else by PATH. */
static char *find_memtrack(void)
{
	char own[PATH_MAX], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[n < 0 ? 0 : n] = '\0';
	slash = strrchr(own, '/');
	if (slash)
		*slash = '\0';
	path = xasprintf("%s/memtrack", own);
	if (access(path, X_OK) < 0) {
		free(path);
		path = xasprintf("%s/../memtrack", own);
	}
	if (access(path, X_OK) < 0) {
		free(path);
		path = xstrdup("memtrack");
	}
	return path;
}

static void run(const char *memtrack, uint64_t pid, const int trace[2], const int messages[2])
{
	char *number = xasprintf("%llu", (unsigned long long)pid);
	int null = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0);		/* the terminal's keys are the viewer's */
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(trace[1], STDOUT_FILENO);
	dup2(messages[1], STDERR_FILENO);
	unsetenv("MEMTRACK_OUTPUT");
	unsetenv("MEMTRACK_FORMAT");
	unsetenv("MEMTRACK_PORT");
	unsetenv("MEMTRACK_VIEW");
	setenv(VIEWER_COMMANDS, "1", 1);
	execlp(memtrack, "memtrack", "--pid", number, "--quiet", "--no-report", "--output", "-", (char *)NULL);
	dprintf(STDERR_FILENO, "cannot run memtrack: %s\n", strerror(errno));
	_exit(125);
}

static int start(struct recorder *r, uint64_t pid)
{
	char *memtrack = find_memtrack();
	int trace[2] = { -1, -1 }, messages[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, trace) < 0 || pipe2(messages, O_CLOEXEC) < 0 || (r->pid = fork()) < 0) {
		r->pid = 0;
		return viewer_fail("cannot start memtrack: %s", strerror(errno));
	}
	if (!r->pid)
		run(memtrack, pid, trace, messages);
	close(trace[1]);
	close(messages[1]);
	r->trace = trace[0];
	r->messages = messages[0];
	free(memtrack);
	return 0;
}

/* All that it says until it ends; the last line is the reason. */
static int tell_failure(struct recorder *r)
{
	struct buffer said = BUFFER_INIT;
	char block[512], *line;
	ssize_t n;

	while ((n = read(r->messages, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			buffer_append(&said, block, (size_t)n);
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
	while (said.length && said.data[said.length - 1] == '\n')
		said.data[--said.length] = '\0';
	line = strrchr(buffer_text(&said), '\n');
	line = line ? line + 1 : (char *)buffer_text(&said);
	if (strncmp(line, "memtrack: ", 10) == 0)
		line += 10;
	viewer_fail("%s", *line ? line : "memtrack ended without a trace");
	buffer_release(&said);
	close(r->trace);
	close(r->messages);
	return VIEWER_FAILED;
}

/* By its own name if that leads to it, which may not be so in another root. */
static char *output_of(uint64_t pid)
{
	char *link = xasprintf("/proc/%llu/fd/1", (unsigned long long)pid), name[PATH_MAX];
	ssize_t n = readlink(link, name, sizeof(name) - 1);
	struct stat is, named;

	name[n < 0 ? 0 : n] = '\0';
	if (n >= 0 && stat(link, &is) == 0 && S_ISREG(is.st_mode)) {
		if (stat(name, &named) < 0 || named.st_dev != is.st_dev || named.st_ino != is.st_ino)
			return link;
		free(link);
		return xstrdup(name);
	}
	free(link);
	return NULL;
}

int recorder_start(struct recorder *r, uint64_t pid)
{
	int status;
	ssize_t n;
	char byte;

	*r = (struct recorder){
		.target = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0), .output = output_of(pid),
	};
	status = start(r, pid);
	if (status)
		return status;
	do {
		n = recv(r->trace, &byte, 1, MSG_PEEK);
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : tell_failure(r);
}

/* True when the trace has ended. */
static bool read_some(struct input *input)
{
	struct pollfd ready = { .fd = input_fd(input), .events = POLLIN };
	static char bytes[65536];

	if (input_state(input) != INPUT_FLOWING)
		return true;
	poll(&ready, 1, POLL_MS);
	while (input_read(input, bytes, sizeof(bytes)) > 0)
		;
	return input_state(input) != INPUT_FLOWING;
}

static bool read_until(struct input *input, uint64_t until)
{
	bool ended = false;

	while (!ended && now_ms() < until)
		ended = read_some(input);
	return ended;
}

static void send_signal(const struct recorder *r, int signal)
{
	if (syscall(SYS_pidfd_send_signal, r->target, signal, NULL, 0) < 0 && errno != ESRCH)
		viewer_fail("cannot send signal %d to the process: %m", signal);
}

void recorder_kill(struct recorder *r, struct input *input)
{
	send_signal(r, SIGTERM);
	if (read_until(input, now_ms() + KILL_MS))
		return;
	send_signal(r, SIGKILL);
	read_until(input, now_ms() + END_MS);
}

/* True when memtrack is gone. */
static bool reap(struct recorder *r)
{
	pid_t gone = waitpid(r->pid, NULL, WNOHANG);

	return gone == r->pid || (gone < 0 && errno == ECHILD);
}

static void repeat_messages(const struct recorder *r)
{
	char block[512];
	ssize_t n;

	fcntl(r->messages, F_SETFL, O_NONBLOCK);
	while ((n = read(r->messages, block, sizeof(block))) > 0)
		fwrite(block, 1, (size_t)n, stderr);
}

void recorder_stop(struct recorder *r, struct input *input)
{
	uint64_t until = now_ms() + END_MS;

	if (!r->pid)
		return;
	kill(r->pid, SIGTERM);
	if (input)
		read_until(input, until);
	while (!reap(r) && now_ms() < until)
		poll(NULL, 0, POLL_MS / 10);
	repeat_messages(r);
	close(r->messages);
	if (r->target >= 0)
		close(r->target);
	r->pid = 0;
}

int recorder_run_command(char **command, const char *output)
{
	char *memtrack = find_memtrack();
	size_t count = 0, out = 0;
	const char **argv;

	while (command[count])
		count++;
	argv = xcalloc(count + 6, sizeof(*argv));
	argv[out++] = "memtrack";
	argv[out++] = "--view";
	if (output) {
		argv[out++] = "--output";
		argv[out++] = output;
	}
	argv[out++] = "--";
	memcpy(argv + out, command, count * sizeof(*argv));
	execvp(memtrack, (char **)argv);
	viewer_fail("cannot run memtrack: %m; it is looked for beside memview and in PATH");
	free(argv);
	free(memtrack);
	return VIEWER_FAILED;
}
