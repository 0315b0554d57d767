/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The client's end of the control socket. */
#include "launcher/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/text.h"
#include "inject/refuse.h"
#include "launcher/attach.h"
#include "launcher/attached.h"
#include "launcher/keeper_find.h"
#include "launcher/launch.h"
#include "launcher/procfs.h"
#include "launcher/say.h"
#include "wire/control.h"

#define NOT_TRACED	1

/* The socket of the memtrack that holds the segment, and of nobody else. */
static int connect_to(pid_t target, pid_t launcher)
{
	struct wire_peer peer;
	struct stat st;
	char path[32], *runtime;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)launcher);
	if (stat(path, &st) < 0)
		return -errno;
	runtime = procfs_variable(launcher, "XDG_RUNTIME_DIR");
	fd = wire_control_connect(target, st.st_uid, *runtime ? runtime : NULL, &peer);
	free(runtime);
	if (fd < 0 || peer.pid == launcher)
		return fd;
	close(fd);
	return -ECONNREFUSED;
}

/* Sends a line and takes the whole answer.  0, -errno, or 1 when the answer was no. */
static int ask(const struct attached *a, pid_t target, const char *word, struct buffer *answer)
{
	/* what traces a family from its start answers for all of it, by its own number */
	int fd = connect_to(a->hook ? target : a->launcher, a->launcher), rc;
	char block[1024];
	ssize_t n;

	if (fd < 0)
		return fd;
	rc = wire_control_write(fd, word, strlen(word));
	while (!rc && (n = read(fd, block, sizeof(block))) != 0) {
		if (n > 0)
			buffer_append(answer, block, (size_t)n);
		else if (errno != EINTR)
			rc = -errno;
	}
	close(fd);
	if (rc)
		return rc;
	if (answer->length < 3)
		return -EPIPE;
	return strncmp(buffer_text(answer), "ok\n", 3) != 0;
}

static int find(pid_t pid, struct attached *a)
{
	struct process_status status;
	char reason[ATTACH_REASON];
	int rc = attached_find(pid, a);

	wire_control_sweep(getenv("XDG_RUNTIME_DIR"));
	if (rc == -ESRCH || rc == -ENOENT)
		say_error("there is no process %d", (int)pid);
	else if ((rc == -EACCES || rc == -EPERM) && status_read(pid, 0, &status) == 0) {
		refuse_permission(pid, &status, reason);
		say_error("cannot look at process %d: %s", (int)pid, reason);
	} else if (rc)
		say_error("cannot look at process %d: %s", (int)pid, strerror(-rc));
	return rc;
}

static int cannot_reach(pid_t launcher, int rc)
{
	say_error("cannot reach memtrack (process %d), which traces it: %s", (int)launcher, strerror(-rc));
	return EXIT_FAILED;
}

/* A text of ours, with paths in it, without its first line. */
static void print_answer(FILE *out, const struct buffer *answer, const char *prefix)
{
	const char *at = buffer_text(answer) + 3, *end;

	for (; *at; at = *end ? end + 1 : end) {
		struct buffer line = BUFFER_INIT;

		end = at + strcspn(at, "\n");
		text_sanitise(&line, at, (size_t)(end - at));
		fprintf(out, "%s%s\n", prefix, buffer_text(&line));
		buffer_release(&line);
	}
}

static int not_traced(pid_t pid)
{
	say_error("process %d is not traced", (int)pid);
	return EXIT_FAILED;
}

static int restore(pid_t pid, const struct attached *a)
{
	char reason[ATTACH_REASON];

	if (!a->hook)
		return not_traced(pid);
	keeper_wait(pid);
	if (attach_restore(pid, reason) == 0) {
		say("process %d: its functions are as they were", (int)pid);
		return 0;
	}
	say_error("cannot detach from process %d: %s", (int)pid, reason);
	return EXIT_FAILED;
}

/* Has the memtrack that traces it obey; what it says when it did goes to `good`. */
static int have_done(pid_t pid, const struct attached *a, const char *line, FILE *good)
{
	struct buffer answer = BUFFER_INIT;
	int rc = ask(a, pid, line, &answer);
	FILE *out = rc == 0 ? good : stderr;

	if (rc >= 0)
		print_answer(out, &answer, out == stderr ? "memtrack: " : "");
	buffer_release(&answer);
	if (rc < 0)
		return cannot_reach(a->launcher, rc);
	return rc ? EXIT_FAILED : 0;
}

int verb_detach(pid_t pid)
{
	struct attached a;

	if (find(pid, &a))
		return EXIT_FAILED;
	if (!a.launcher)
		return restore(pid, &a);
	if (a.preloaded) {
		say_error("memtrack (process %d) traces process %d from its start, to its end", (int)a.launcher,
			  (int)pid);
		return EXIT_FAILED;
	}
	return have_done(pid, &a, "detach\n", stderr);
}

static void print_name(pid_t pid)
{
	struct buffer name = BUFFER_INIT;
	char comm[PROCFS_COMM];

	procfs_comm(pid, comm);
	text_sanitise(&name, comm, strlen(comm));
	printf("process %d (%s): ", (int)pid, buffer_text(&name));
	buffer_release(&name);
}

static int status_of_traced(pid_t pid, const struct attached *a)
{
	struct buffer answer = BUFFER_INIT;
	int rc = ask(a, pid, "status\n", &answer);

	if (rc < 0) {
		buffer_release(&answer);
		return cannot_reach(a->launcher, rc);
	}
	print_name(pid);
	print_answer(stdout, &answer, "");
	buffer_release(&answer);
	return rc ? EXIT_FAILED : 0;
}

/* A keeper may be about to take them away. */
static bool has_patches(pid_t pid)
{
	if (attach_left(pid) <= 0)
		return false;
	keeper_wait(pid);
	return attach_left(pid) > 0;
}

static int status_of_untraced(pid_t pid, const struct attached *a)
{
	bool patched = a->hook && !a->inherited && has_patches(pid);

	print_name(pid);
	if (patched)
		printf("not traced; a memtrack that was killed left its patches in it: memtrack --pid %d detach takes "
		       "them away\n", (int)pid);
	else
		printf("not traced%s\n",
		       a->inherited ? "; the process that forked it was, or is" :
		       a->hook ? "; it was, and the hook is idle in it" :
		       a->preloaded ? " by a memtrack that lives; the hook is preloaded" : "");
	return NOT_TRACED;
}

int verb_status(pid_t pid)
{
	struct attached a;

	if (find(pid, &a))
		return EXIT_FAILED;
	return a.launcher ? status_of_traced(pid, &a) : status_of_untraced(pid, &a);
}

int verb_order(pid_t pid, const struct wire_command *command)
{
	char line[WIRE_COMMAND_LINE + 1];
	struct attached a;

	if (find(pid, &a))
		return EXIT_FAILED;
	if (!a.launcher)
		return not_traced(pid);
	wire_command_format(command, line);
	return have_done(pid, &a, line, stdout);
}
