/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fork, wait, exec. */
#include "launcher/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "trace/channel.h"

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

static _Noreturn void child_main(const struct start *start, int wire)
{
	int error;
	char go;
	ssize_t n;

	signals_give_back(start->signals);
	setrlimit(RLIMIT_NOFILE, &start->limits.files);
	setrlimit(RLIMIT_FSIZE, &start->limits.size);
	do
		n = read(wire, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1) {
		execvpe(start->argv[0], start->argv, start->env);
		error = errno;
		if (write(wire, &error, sizeof(error)) < 0) {
			/* memtrack died meanwhile */
		}
	}
	_exit(127);
}

int start_fork(struct start *start)
{
	int wires[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wires) < 0)
		return -errno;
	start->pid = fork();
	if (start->pid == 0) {
		close(wires[0]);
		child_main(start, wires[1]);
	}
	close(wires[1]);
	if (start->pid < 0) {
		int rc = -errno;

		close(wires[0]);
		return rc;
	}
	start->wire = wires[0];
	return 0;
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
		return -error;
	}
	return 0;	/* executed, or killed: the wait status tells */
}

void start_cancel(struct start *start)
{
	close(start->wire);
	start->wire = -1;
	waitpid(start->pid, NULL, 0);
}
