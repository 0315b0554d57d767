/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting the child that writes a snapshot, and hearing of it. */
#include "launcher/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/units.h"
#include "base/vector.h"
#include "launcher/snapshot_child.h"
#include "launcher/tracer.h"

#define NUMBER_MAX	9999u
#define NICE		10

/* What the child has to do for one file. */
struct item {
	struct snapshot_job job;
	char *path;
};

VECTOR_STRUCT(items, struct item);

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->pipe = -1;
}

/* Beside the trace; of one that is no file, in the current directory. */
static char *name_file(const struct process *p, unsigned number)
{
	char *trace = p->output.path ? xstrdup(p->output.path) : output_expand(NULL, false, p->pid, p->name, 0);
	size_t length = strlen(trace);
	char *path;

	if (!p->output.path && length > 4)	/* there is no such trace: its name is without .mtk */
		trace[length - 4] = '\0';
	path = xasprintf("%s.snapshot-%u.txt", trace, number);
	free(trace);
	return path;
}

/* Never over another file. */
static int make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : fd;
}

/* The processes of a stream are in one trace. */
static size_t sessions_of(const struct tracer *t)
{
	size_t count = 0;

	if (!t->stream)
		return 1;
	for (size_t i = 0; i < t->all.count; i++)
		count += process_is_traced(t->all.items[i]);
	return count;
}

static int add_item(struct tracer *t, struct process *p, uint64_t ticks, struct items *items)
{
	struct item item = { .path = name_file(p, t->snapshot.number) };
	int fd = make_file(item.path);

	if (fd < 0) {
		free(item.path);
		return fd;
	}
	item.job = (struct snapshot_job){
		.trace = p->output.reader, .out = fd, .stamp = session_stamp(p->session, ticks),
		.sessions = sessions_of(t), .number = t->snapshot.number,
	};
	vector_push(items, item);
	return 0;
}

static void drop_items(struct items *items, bool unlink_too)
{
	for (size_t i = 0; i < items->count; i++) {
		if (unlink_too)
			unlink(items->items[i].path);
		close(items->items[i].job.out);
		free(items->items[i].path);
	}
	vector_release(items);
}

static int make_items(struct tracer *t, uint64_t ticks, struct items *items)
{
	int rc = 0;

	for (size_t i = 0; i < t->all.count && !rc; i++)
		if (process_is_traced(t->all.items[i]) && t->all.items[i]->output.reader >= 0)
			rc = add_item(t, t->all.items[i], ticks, items);
	if (rc)
		drop_items(items, true);
	return rc;
}

/* Files of an earlier run may have the first numbers. */
static int choose_files(struct tracer *t, uint64_t ticks, struct items *items)
{
	int rc = -EEXIST;

	while (rc == -EEXIST && t->snapshot.number < NUMBER_MAX) {
		t->snapshot.number++;
		rc = make_items(t, ticks, items);
	}
	return rc ? rc : items->count ? 0 : -ESRCH;
}

static void mark(struct tracer *t, uint64_t ticks)
{
	for (size_t i = 0; i < t->all.count; i++)
		if (process_is_traced(t->all.items[i]))
			session_add_snapshot(t->all.items[i]->session, ticks, t->snapshot.number);
}

/* What is open besides is the business of the process that goes on: viewers shall see it close. */
static void close_others(const struct items *items, int pipe)
{
	for (int fd = 3; fd < 65536; fd++) {
		bool mine = fd == pipe;

		for (size_t i = 0; i < items->count; i++)
			mine |= fd == items->items[i].job.trace || fd == items->items[i].job.out;
		if (!mine)
			close(fd);
	}
}

static void tell(int pipe, const char *text)
{
	if (write(pipe, text, strlen(text)) < 0) {
		/* nobody listens any more */
	}
}

static void child_main(const struct items *items, int pipe, pid_t parent)
{
	struct snapshot_sums sums = { 0 };
	char line[128];
	int rc = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpriority(PRIO_PROCESS, 0, NICE);
	setlocale(LC_CTYPE, "");
	close_others(items, pipe);
	for (size_t i = 0; i < items->count; i++) {
		int one = snapshot_write(&items->items[i].job, &sums);

		if (one)
			unlink(items->items[i].path);
		rc = rc ? rc : one;
	}
	if (rc)
		snprintf(line, sizeof(line), "-%s\n", rc == -ETIME ? "the trace does not go on" : strerror(-rc));
	else
		snprintf(line, sizeof(line), "+%" PRIu64 " %" PRIu64 "\n", sums.blocks, sums.bytes);
	tell(pipe, line);
	_exit(rc ? 1 : 0);
}

static int start_child(struct snapshot *s, const struct items *items)
{
	pid_t parent = getpid();
	int ends[2], rc = 0;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	s->child = fork();
	if (s->child == 0)
		child_main(items, ends[1], parent);
	if (s->child < 0)
		rc = -errno;
	close(ends[1]);
	s->pipe = rc ? -1 : ends[0];
	if (rc)
		close(ends[0]);
	return rc;
}

static void remember_path(struct snapshot *s, const struct items *items)
{
	char where[4096] = "";

	free(s->path);
	if (*items->items[0].path != '/' && getcwd(where, sizeof(where) - 1) && strcmp(where, "/") != 0)
		strcat(where, "/");
	s->path = xasprintf("%s%s%s", where, items->items[0].path, items->count > 1 ? " and others" : "");
}

int snapshot_start(struct tracer *t, const char **reason)
{
	uint64_t ticks = clock_ticks(&t->clock);
	struct snapshot *s = &t->snapshot;
	struct items items = { 0 };
	int rc = -EBUSY;

	*reason = "another one is being written";
	if (snapshot_is_busy(s))
		return rc;
	rc = choose_files(t, ticks, &items);
	*reason = rc == -EEXIST ? "there are too many already" : rc == -ESRCH ? "nothing is traced any more" : strerror(-rc);
	if (rc)
		return rc;
	mark(t, ticks);
	remember_path(s, &items);
	rc = start_child(s, &items);
	*reason = strerror(-rc);
	drop_items(&items, rc != 0);
	return rc;
}

static void finish(struct snapshot *s)
{
	close(s->pipe);
	s->pipe = -1;
	waitpid(s->child, NULL, 0);
}

static void put_result(const struct snapshot *s, bool good, struct buffer *text)
{
	const char *said = buffer_text(&s->said);
	char bytes[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];
	unsigned long long blocks = 0, size = 0;

	if (good && sscanf(said + 1, "%llu %llu", &blocks, &size) == 2)
		buffer_printf(text, "snapshot %u: %s (%s in %s)", s->number, s->path,
			      format_bytes(bytes, sizeof(bytes), size), format_count(count, sizeof(count), blocks));
	else
		buffer_printf(text, "no snapshot: %.*s", (int)strcspn(said + (*said == '-'), "\n"),
			      *said == '-' ? said + 1 : "its writer died");
}

bool snapshot_hear(struct tracer *t, bool *good, struct buffer *text)
{
	struct snapshot *s = &t->snapshot;
	char block[256];
	ssize_t n;

	while ((n = read(s->pipe, block, sizeof(block))) > 0)
		buffer_append(&s->said, block, (size_t)n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	finish(s);
	*good = *buffer_text(&s->said) == '+';
	put_result(s, *good, text);
	buffer_clear(&s->said);
	return true;
}

void snapshot_release(struct snapshot *s)
{
	if (snapshot_is_busy(s)) {
		kill(s->child, SIGKILL);
		finish(s);
	}
	buffer_release(&s->said);
	free(s->path);
	s->path = NULL;
}
