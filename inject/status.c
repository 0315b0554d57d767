/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading /proc/PID/status and stat. */
#include "inject/status.h"

#include "base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES	4096u

/* All of it: the line of its groups may be long. */
static int read_file(pid_t pid, pid_t tid, const char *name, struct buffer *text)
{
	char path[64];
	ssize_t n;
	int fd, rc;

	buffer_clear(text);
	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	do {
		buffer_reserve(text, READ_BYTES);
		n = read(fd, text->data + text->length, READ_BYTES);
		text->length += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	rc = n < 0 ? -errno : text->length == 0 ? -ESRCH : 0;
	text->data[text->length] = '\0';
	close(fd);
	return rc;
}

/* What stands behind "\nKey:\t"; "" when there is none. */
static const char *field(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0 && line[length] == ':')
			return line + length + 1 + strspn(line + length + 1, "\t ");
	}
	return "";
}

/* The last number of the line. */
static pid_t last_number(const char *p)
{
	pid_t value = 0;

	while (*p && *p != '\n') {
		char *end;

		value = (pid_t)strtol(p, &end, 10);
		if (end == p)
			break;
		p = end + strspn(end, "\t ");
	}
	return value;
}

static void parse_stat(const char *text, struct process_status *s)
{
	const char *p = strrchr(text, ')');

	/* Behind the name: state, and flags as the 9th, start time as the 22nd field of all. */
	for (int k = 2; p && k < 22; k++) {
		p = strchr(p + 1, ' ');
		if (p && k == 8)
			s->flags = strtoul(p, NULL, 10);
		if (p && k == 21)
			s->start_time = strtoull(p, NULL, 10);
	}
}

static void parse_status(const char *text, struct process_status *s)
{
	const char *p;

	memset(s, 0, sizeof(*s));
	p = field(text, "Name");
	snprintf(s->name, sizeof(s->name), "%.*s", (int)strcspn(p, "\n"), p);
	s->state = *field(text, "State");
	s->tgid = (pid_t)strtol(field(text, "Tgid"), NULL, 10);
	s->tracer = (pid_t)strtol(field(text, "TracerPid"), NULL, 10);
	s->inside = last_number(field(text, "NSpid"));
	sscanf(field(text, "Uid"), "%u %u %u %u", &s->uid[0], &s->uid[1], &s->uid[2], &s->uid[3]);
	s->seccomp = (unsigned)strtoul(field(text, "Seccomp"), NULL, 10);
	p = field(text, "x86_Thread_features");
	s->shadow_stack = memmem(p, strcspn(p, "\n"), "shstk", 5) != NULL;
	s->permitted = strtoull(field(text, "CapPrm"), NULL, 16);
}

int status_read(pid_t pid, pid_t tid, struct process_status *s)
{
	struct buffer text = BUFFER_INIT;
	int rc = read_file(pid, tid, "status", &text);

	if (rc == 0) {
		parse_status(buffer_text(&text), s);
		if (!s->inside)
			s->inside = tid ? tid : pid;
		rc = read_file(pid, tid, "stat", &text);
	}
	if (rc == 0)
		parse_stat(buffer_text(&text), s);
	buffer_release(&text);
	return rc;
}

char status_state(pid_t pid, pid_t tid)
{
	struct buffer text = BUFFER_INIT;
	const char *p = read_file(pid, tid, "stat", &text) ? NULL : strrchr(buffer_text(&text), ')');
	char state = p && p[1] == ' ' ? p[2] : '\0';

	buffer_release(&text);
	return state;
}
