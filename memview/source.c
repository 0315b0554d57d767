/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files, growing files and pipes as sources of a trace, and the tee to a file. */
#include "memview/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "memview/source_kinds.h"

void source_say(struct source *source, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(source->message, sizeof(source->message), format, args);
	va_end(args);
}

ssize_t source_fail(struct source *source, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(source->message, sizeof(source->message), format, args);
	va_end(args);
	source->state = SOURCE_FAILED;
	return 0;
}

static int file_open(struct source *source)
{
	struct stat st;

	source->fd = open(source->where, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (source->fd < 0 && errno == ENOENT && source->follow) {
		source_say(source, "waiting for %s to appear", source->where);
		source->state = SOURCE_WAITING;
		return 0;
	}
	if (source->fd < 0 || fstat(source->fd, &st) < 0) {
		source_fail(source, "cannot open %s: %s", source->where, strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode)) {
		source_fail(source, "%s is a directory, not a trace", source->where);
		return -1;
	}
	source->device = st.st_dev;
	source->inode = st.st_ino;
	source->position = 0;
	source->message[0] = 0;
	source->state = SOURCE_FLOWING;
	return 0;
}

/* Reads what is there; 0 at the end of what is there. */
static ssize_t file_read(struct source *source, void *data, size_t size)
{
	ssize_t n = read(source->fd, data, size);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n < 0)
		return source_fail(source, "cannot read %s: %s", source->where, strerror(errno));
	if (n == 0 && !source->follow)
		source->state = SOURCE_ENDED;
	return n;
}

/* A target that starts again truncates its log, or makes a new one under the same name. */
static bool file_is_stale(struct source *source)
{
	struct stat st;

	if (stat(source->where, &st) < 0)
		return false;
	if (!S_ISREG(st.st_mode))
		return false;
	return st.st_dev != source->device || st.st_ino != source->inode ||
	       (uint64_t)st.st_size < source->position;
}

static ssize_t growing_read(struct source *source, void *data, size_t size)
{
	ssize_t n;

	if (source->fd < 0 && (file_open(source) < 0 || source->fd < 0))
		return 0;
	n = file_read(source, data, size);
	if (n != 0 || source->state == SOURCE_FAILED || !file_is_stale(source))
		return n;
	close(source->fd);
	source->fd = -1;
	file_open(source);
	return -ESTALE;
}

static int pipe_open(struct source *source)
{
	if (isatty(STDIN_FILENO)) {
		source_fail(source, "standard input is a terminal: pipe a trace into memview -f -, or name a file");
		return -1;
	}
	source->fd = STDIN_FILENO;
	source->state = SOURCE_FLOWING;
	return 0;
}

/* Not O_NONBLOCK: the open file may be shared with the other end's programs. */
static ssize_t pipe_read(struct source *source, void *data, size_t size)
{
	struct pollfd ready = { .fd = source->fd, .events = POLLIN };
	ssize_t n;

	if (poll(&ready, 1, 0) <= 0)
		return 0;
	n = read(source->fd, data, size);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n < 0)
		return source_fail(source, "cannot read standard input: %s", strerror(errno));
	if (n == 0)
		source->state = SOURCE_ENDED;
	return n;
}

static const struct source_kind source_file = { file_open, file_read };
static const struct source_kind source_growing = { file_open, growing_read };
static const struct source_kind source_pipe = { pipe_open, pipe_read };

static int save_open(struct source *source)
{
	struct stat there, from;

	if (stat(source->save_path, &there) == 0 && stat(source->where, &from) == 0 &&
	    there.st_dev == from.st_dev && there.st_ino == from.st_ino) {
		source_fail(source, "%s is the trace itself: save it under another name", source->save_path);
		return -1;
	}
	source->save_fd = open(source->save_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (source->save_fd >= 0)
		return 0;
	source_fail(source, "cannot write %s: %s", source->save_path, strerror(errno));
	return -1;
}

static void save_write(struct source *source, const char *data, size_t size)
{
	while (size && source->save_fd >= 0) {
		ssize_t n = write(source->save_fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			source_say(source, "saving stopped: %s: %s", source->save_path, strerror(errno));
			close(source->save_fd);
			source->save_fd = -1;
			source->save_failed = true;
			return;
		}
		data += n;
		size -= (size_t)n;
	}
}

int source_open(struct source **out, const struct source_request *request, char *error, size_t size)
{
	struct source *source = xcalloc(1, sizeof(*source));

	*out = NULL;
	source->where = xstrdup(request->where);
	source->follow = request->follow;
	source->fd = source->save_fd = -1;
	source->kind = strcmp(request->where, "-") == 0 ? &source_pipe :
		       source_is_socket(request->where) ? &source_socket :
		       request->follow ? &source_growing : &source_file;
	if (source->kind->open(source) < 0)
		goto fail;
	if (request->save) {
		source->save_path = xstrdup(request->save);
		if (save_open(source) < 0)
			goto fail;
	}
	*out = source;
	return 0;
fail:
	snprintf(error, size, "%s", source->message);
	source_close(source);
	return -1;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	if (source->save_fd >= 0)
		close(source->save_fd);
	free(source->where);
	free(source->save_path);
	free(source);
}

ssize_t source_read(struct source *source, void *data, size_t size)
{
	ssize_t n;

	if (source->state == SOURCE_ENDED || source->state == SOURCE_FAILED)
		return 0;
	n = source->kind->read(source, data, size);
	if (n == -ESTALE && source->save_fd >= 0 && ftruncate(source->save_fd, 0) == 0)
		lseek(source->save_fd, 0, SEEK_SET);
	if (n <= 0)
		return n;
	source->position += (uint64_t)n;
	save_write(source, data, (size_t)n);
	return n;
}

enum source_state source_state(const struct source *source)
{
	return source->state;
}

const char *source_message(const struct source *source)
{
	return source->message;
}

bool source_save_failed(const struct source *source)
{
	return source->save_failed;
}

int source_fd(const struct source *source)
{
	if (source->state == SOURCE_WAITING && source->kind != &source_socket)
		return -1;
	return source->kind == &source_growing || source->kind == &source_file ? -1 : source->fd;
}

uint64_t source_position(const struct source *source)
{
	return source->position;
}

uint64_t source_size(const struct source *source)
{
	struct stat st;

	if (source->fd < 0 || fstat(source->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_size;
}

bool source_is_growing_file(const struct source *source)
{
	return source->kind == &source_growing;
}

bool source_is_live(const struct source *source)
{
	return source->kind != &source_file &&
	       (source->state == SOURCE_WAITING || source->state == SOURCE_FLOWING);
}
