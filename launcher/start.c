/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clone, wait, exec. */
#include "launcher/start.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/capture.h"
#include "trace/channel.h"

#define STACK_BYTES	(64 * 1024)

void start_guard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", O_RDWR | O_CLOEXEC);	/* takes the lowest, this one */
}

static void raise_limit(int which, struct rlimit *before)
{
	struct rlimit higher;

	getrlimit(which, before);
	higher = *before;
	higher.rlim_cur = higher.rlim_max;
	setrlimit(which, &higher);
}

void start_raise_limits(struct start_limits *before)
{
	raise_limit(RLIMIT_NOFILE, &before->files);
	raise_limit(RLIMIT_FSIZE, &before->size);
}

static bool is_variable(const char *entry, const char *name)
{
	size_t n = strlen(name);

	return strncmp(entry, name, n) == 0 && entry[n] == '=';
}

/* Keeps the order of what is there: the hook puts the user's value back in its place.  The new
 * strings stand behind the pointers. */
static void insert(char **env, char *text, const char *preload, const char *socket)
{
	char *hook = text, *door = text + sprintf(text, "LD_PRELOAD=%s", preload) + 1;
	bool placed = false;
	size_t out = 0;

	sprintf(door, CHANNEL_ENV_SOCKET "=%s", socket);
	for (size_t i = 0; environ[i]; i++) {
		if (is_variable(environ[i], CHANNEL_ENV_SOCKET))
			continue;
		env[out] = environ[i];
		if (is_variable(environ[i], "LD_PRELOAD")) {
			env[out] = hook;
			placed = true;
		}
		out++;
	}
	if (!placed)
		env[out++] = hook;
	env[out] = door;
}

char **start_environment(const char *preload, const char *socket)
{
	size_t count = 0, text = 64;
	char **env;

	while (environ[count])
		count++;
	if (preload)
		text += strlen(preload) + strlen(socket);
	env = xcalloc(1, (count + 3) * sizeof(*env) + text);
	if (preload)
		insert(env, (char *)(env + count + 3), preload, socket);
	else
		memcpy(env, environ, count * sizeof(*env));
	return env;
}

/* The child runs in our memory until it executes: copying the page tables of a process and taking
 * every written page anew costs more than all the rest of a start.  It has our thread's errno, so
 * nothing here may fail before start_go() waits for it. */
static int child_main(void *arg)
{
	const struct start *start = arg;
	ssize_t n;
	char go;

	close(start->wires[0]);
	signals_give_back(start->signals);
	setrlimit(RLIMIT_NOFILE, &start->limits.files);
	setrlimit(RLIMIT_FSIZE, &start->limits.size);
	do
		n = read(start->wires[1], &go, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1) {
		int error = start->capture ? capture_apply(start->capture) : 0;

		if (!error) {
			execvpe(start->argv[0], start->argv, start->env);
			error = errno;
		}
		if (write(start->wires[1], &error, sizeof(error)) < 0) {
			/* memtrack died meanwhile */
		}
	}
	_exit(127);
}

/* execvpe copies the arguments for a script that has no "#!". */
static size_t stack_bytes(char *const *argv)
{
	size_t n = 0;

	while (argv[n])
		n++;
	return STACK_BYTES + (n * sizeof(*argv) + 4095) / 4096 * 4096;
}

static int clone_child(struct start *start)
{
	start->stack_bytes = stack_bytes(start->argv);
	start->stack = mmap(NULL, start->stack_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (start->stack == MAP_FAILED)
		return -errno;
	start->pid = clone(child_main, (char *)start->stack + start->stack_bytes, CLONE_VM | SIGCHLD, start);
	return start->pid < 0 ? -errno : 0;
}

/* When the child does not run in our memory any more. */
static void stack_release(struct start *start)
{
	if (start->stack != MAP_FAILED)
		munmap(start->stack, start->stack_bytes);
	start->stack = MAP_FAILED;
}

int start_fork(struct start *start)
{
	int rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, start->wires) < 0)
		return -errno;
	start->wire = start->wires[0];
	rc = clone_child(start);
	close(start->wires[1]);
	if (rc) {
		close(start->wire);
		start->wire = -1;
		stack_release(start);
	}
	return rc;
}

int start_go(struct start *start)
{
	int error = 0;
	char go = 1;
	ssize_t n = 0;

	if (send(start->wire, &go, 1, MSG_NOSIGNAL) == 1)
		n = read(start->wire, &error, sizeof(error));
	close(start->wire);
	start->wire = -1;
	if (n == sizeof(error)) {
		waitpid(start->pid, NULL, 0);
		stack_release(start);
		return -error;
	}
	stack_release(start);
	return 0;	/* executed, or killed: the wait status tells */
}

void start_cancel(struct start *start)
{
	close(start->wire);
	start->wire = -1;
	waitpid(start->pid, NULL, 0);
	stack_release(start);
}
