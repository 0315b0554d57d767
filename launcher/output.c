/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and files of traces. */
#include "launcher/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"

#define NUMBERS_MAX	10000

static void append_comm(struct buffer *b, const char *comm)
{
	const char *last = strrchr(comm, '/');
	size_t length;

	comm = last && last[1] ? last + 1 : comm;
	length = strnlen(comm, 64);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)comm[i];
		bool plain = (c > 0x20 && c < 0x7f && !strchr("/\\*?\"'`$&|;<>()[]{}!~#%", c)) ||
			c >= 0x80;

		/* a leading '.' or '-' would hide the file or look like an option */
		if (i == 0 && (c == '-' || c == '.') && b->length == 0)
			plain = false;
		buffer_append_char(b, plain ? (char)c : '_');
	}
}

static void expand_one(struct buffer *b, char code, pid_t pid, const char *comm, bool *has_pid)
{
	switch (code) {
	case 'p':
		buffer_printf(b, "%d", (int)pid);
		*has_pid = true;
		break;
	case 'c':
		append_comm(b, comm);
		break;
	case 't':
		buffer_printf(b, "%lld", (long long)time(NULL));
		break;
	case '%':
		buffer_append_char(b, '%');
		break;
	default:
		buffer_append_char(b, '%');
		buffer_append_char(b, code);
	}
}

char *output_expand(const char *spec, bool text, pid_t pid, const char *comm, unsigned child)
{
	struct buffer b = BUFFER_INIT;
	bool has_pid = false;

	if (!spec) {
		buffer_append_string(&b, "memtrack.");
		append_comm(&b, comm);
		buffer_printf(&b, ".%d.%s", (int)pid, text ? "txt" : "mtk");
		return buffer_detach(&b);
	}
	for (const char *s = spec; *s; s++) {
		if (*s == '%' && s[1])
			expand_one(&b, *++s, pid, comm, &has_pid);
		else
			buffer_append_char(&b, *s);
	}
	if (child && !has_pid)
		buffer_printf(&b, ".%d", (int)pid);
	if (child > 1)
		buffer_printf(&b, ".%u", child - 1);
	return buffer_detach(&b);
}

/* Never below 3: those are the target's, whatever they are. */
static int lift(int fd)
{
	int high;

	if (fd < 0 || fd > 2)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return high;
}

int output_new_file(char **path)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(*path, flags, 0666);

	for (int i = 1; fd < 0 && errno == EEXIST && i < NUMBERS_MAX; i++) {
		char *numbered = xasprintf("%s.%d", *path, i);

		fd = open(numbered, flags, 0666);
		if (fd >= 0 || errno != EEXIST) {
			free(*path);
			*path = numbered;
		} else {
			free(numbered);
			errno = EEXIST;
		}
	}
	return fd < 0 ? -errno : lift(fd);
}

/* The file as it is named, and whether it is a regular one. */
static int old_file(const char *path, bool *regular)
{
	struct stat st;
	int fd = -1;

	*regular = stat(path, &st) < 0 || S_ISREG(st.st_mode);
	if (*regular)
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0 && (!*regular || errno == EACCES))	/* perhaps it may only be written */
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR)
		*regular = S_ISREG(st.st_mode);
	else
		*regular = false;
	return lift(fd);
}

static int open_spool(void)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (!folder || !*folder)
		folder = "/var/tmp";	/* a disk, where /tmp may be memory */
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		char name[] = "/tmp/memtrack-XXXXXX";

		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	return fd < 0 ? -errno : lift(fd);
}

/* Gives up `file` on error.  pread() on a duplicate leaves the writer's position alone. */
static int set_file(struct output *output, int file)
{
	if (file < 0)
		return file;
	output->fd = file;
	output->reader = fcntl(file, F_DUPFD_CLOEXEC, 3);
	if (output->reader < 0) {
		int rc = -errno;

		close(file);
		output->fd = -1;
		return rc;
	}
	return 0;
}

static int set_sink(struct output *output, int sink)
{
	int rc;

	if (sink < 0)
		return -errno;
	rc = set_file(output, open_spool());
	if (rc)
		close(sink);
	else
		output->sink = sink;
	return rc;
}

void output_none(struct output *output)
{
	*output = (struct output){ .fd = -1, .reader = -1, .sink = -1 };
}

int output_spool(struct output *output)
{
	*output = (struct output){ .fd = -1, .reader = -1, .sink = -1 };
	return set_file(output, open_spool());
}

int output_open(struct output *output, const char *spec, bool text, pid_t pid, const char *comm,
		unsigned child, char **path_out)
{
	bool regular = true;
	int fd;

	*output = (struct output){ .fd = -1, .reader = -1, .sink = -1 };
	*path_out = output_expand(spec, text, pid, comm, child);
	if (spec && strcmp(spec, "-") == 0)
		return set_sink(output, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
	fd = spec ? old_file(*path_out, &regular) : output_new_file(path_out);
	if (fd < 0)
		return fd;
	if (!regular)
		return set_sink(output, fd);
	output->path = xstrdup(*path_out);
	if (hold_take(fd))
		hold_mark(fd, output->mark);
	return set_file(output, fd);
}

void output_release(struct output *output)
{
	if (output->reader >= 0)
		close(output->reader);
	if (output->sink >= 0)
		close(output->sink);
	free(output->path);
	*output = (struct output){ .fd = -1, .reader = -1, .sink = -1 };
}
