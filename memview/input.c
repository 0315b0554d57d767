/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files, growing files and pipes as sources of a trace, and the tee to a file. */
#include "memview/input.h"

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
#include "memview/input_kinds.h"

void input_say(struct input *input, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(input->message, sizeof(input->message), format, args);
	va_end(args);
}

ssize_t input_fail(struct input *input, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(input->message, sizeof(input->message), format, args);
	va_end(args);
	input->state = INPUT_FAILED;
	return 0;
}

int input_file_open(struct input *input)
{
	struct stat st;

	input->fd = open(input->where, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (input->fd < 0 && errno == ENOENT && input->follow) {
		input_say(input, "waiting for %s to appear", input->where);
		input->state = INPUT_WAITING;
		return 0;
	}
	if (input->fd < 0 || fstat(input->fd, &st) < 0) {
		input_fail(input, "cannot open %s: %s", input->where, strerror(errno));
		return -1;
	}
	if (S_ISDIR(st.st_mode)) {
		input_fail(input, "%s is a directory, not a trace", input->where);
		return -1;
	}
	input->device = st.st_dev;
	input->inode = st.st_ino;
	input->position = input->head_length = 0;
	input->held = false;
	input->gone = 0;
	input->message[0] = 0;
	input->state = INPUT_FLOWING;
	return 0;
}

ssize_t input_file_read(struct input *input, void *data, size_t size)
{
	ssize_t n = read(input->fd, data, size);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n < 0)
		return input_fail(input, "cannot read %s: %s", input->where, strerror(errno));
	if (n == 0 && !input->follow)
		input->state = INPUT_ENDED;
	return n;
}

static int pipe_open(struct input *input)
{
	if (isatty(STDIN_FILENO)) {
		input_fail(input, "standard input is a terminal: pipe a trace into memview -f -, or name a file");
		return -1;
	}
	input->fd = STDIN_FILENO;
	input->state = INPUT_FLOWING;
	return 0;
}

/* The descriptor was set before. */
static int given_open(struct input *input)
{
	input->state = INPUT_FLOWING;
	return 0;
}

/* Not O_NONBLOCK: the open file may be shared with the other end's programs. */
static ssize_t pipe_read(struct input *input, void *data, size_t size)
{
	struct pollfd ready = { .fd = input->fd, .events = POLLIN };
	ssize_t n;

	if (poll(&ready, 1, 0) <= 0)
		return 0;
	n = read(input->fd, data, size);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n < 0)
		return input_fail(input, "cannot read %s: %s",
				   input->fd == STDIN_FILENO ? "standard input" : input->where, strerror(errno));
	if (n == 0)
		input->state = INPUT_ENDED;
	return n;
}

static const struct input_kind input_file = { input_file_open, input_file_read };
static const struct input_kind input_pipe = { pipe_open, pipe_read };
static const struct input_kind input_given = { given_open, pipe_read };

static int save_open(struct input *input)
{
	struct stat there, from;

	if (stat(input->save_path, &there) == 0 && stat(input->where, &from) == 0 &&
	    there.st_dev == from.st_dev && there.st_ino == from.st_ino) {
		input_fail(input, "%s is the trace itself: save it under another name", input->save_path);
		return -1;
	}
	input->save_fd = open(input->save_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (input->save_fd >= 0)
		return 0;
	input_fail(input, "cannot write %s: %s", input->save_path, strerror(errno));
	return -1;
}

static void save_write(struct input *input, const char *data, size_t size)
{
	while (size && input->save_fd >= 0) {
		ssize_t n = write(input->save_fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			input_say(input, "saving stopped: %s: %s", input->save_path, strerror(errno));
			close(input->save_fd);
			input->save_fd = -1;
			input->save_failed = true;
			return;
		}
		data += n;
		size -= (size_t)n;
	}
}

int input_open(struct input **out, const struct input_request *request, char *error, size_t size)
{
	struct input *input = xcalloc(1, sizeof(*input));

	*out = NULL;
	input->where = xstrdup(request->where);
	input->follow = request->follow;
	input->fd = request->pipe ? request->pipe : -1;
	input->save_fd = -1;
	input->kind = request->pipe ? &input_given : strcmp(request->where, "-") == 0 ? &input_pipe :
		       input_is_socket(request->where) ? &input_socket :
		       request->follow ? &input_growing : &input_file;
	if (input->kind->open(input) < 0)
		goto fail;
	if (request->save) {
		input->save_path = xstrdup(request->save);
		if (save_open(input) < 0)
			goto fail;
	}
	*out = input;
	return 0;
fail:
	snprintf(error, size, "%s", input->message);
	input_close(input);
	return -1;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	if (input->save_fd >= 0)
		close(input->save_fd);
	free(input->where);
	free(input->save_path);
	buffer_release(&input->back);
	free(input);
}

void input_put_back(struct input *input, const void *bytes, size_t length)
{
	buffer_append(&input->back, bytes, length);
	input->position -= length;
}

static ssize_t read_back(struct input *input, void *data, size_t size)
{
	size_t n = size < input->back.length ? size : input->back.length;

	memcpy(data, input->back.data, n);
	buffer_drop(&input->back, n);
	if (!input->back.length)
		buffer_release(&input->back);
	return (ssize_t)n;
}

ssize_t input_read(struct input *input, void *data, size_t size)
{
	ssize_t n;

	if (input->state != INPUT_WAITING && input->state != INPUT_FLOWING)
		return 0;
	n = input->back.length ? read_back(input, data, size) : input->kind->read(input, data, size);
	if (n <= 0)
		return n;
	input->position += (uint64_t)n;
	save_write(input, data, (size_t)n);
	return n;
}

void input_reload(struct input *input)
{
	if (input->fd >= 0)
		close(input->fd);
	input->fd = -1;
	input_file_open(input);
	if (input->save_fd >= 0 && ftruncate(input->save_fd, 0) == 0)
		lseek(input->save_fd, 0, SEEK_SET);
}

void input_succeed(struct input *next, struct input *input)
{
	next->save_fd = input->save_fd;
	next->save_path = input->save_path;
	next->save_failed = input->save_failed;
	input->save_fd = -1;
	input->save_path = NULL;
}

enum input_state input_state(const struct input *input)
{
	return input->state;
}

const char *input_message(const struct input *input)
{
	return input->message;
}

bool input_saves(const struct input *input)
{
	return input->save_path != NULL;
}

bool input_save_failed(const struct input *input)
{
	return input->save_failed;
}

int input_fd(const struct input *input)
{
	if (input->state == INPUT_WAITING && input->kind != &input_socket)
		return -1;
	return input->kind == &input_growing || input->kind == &input_file ? -1 : input->fd;
}

uint64_t input_position(const struct input *input)
{
	return input->position;
}

uint64_t input_size(const struct input *input)
{
	struct stat st;

	if (input->fd < 0 || fstat(input->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_size;
}

bool input_is_stream(const struct input *input)
{
	return input->kind != &input_growing && input->kind != &input_file;
}

bool input_is_broken(const struct input *input)
{
	return input->broken;
}

bool input_can_connect_again(const struct input *input)
{
	return input->kind == &input_socket;
}

bool input_is_growing_file(const struct input *input)
{
	return input->kind == &input_growing;
}

bool input_is_live(const struct input *input)
{
	return input_is_watched(input) && !input_is_abandoned(input);
}

bool input_is_watched(const struct input *input)
{
	return input->kind != &input_file &&
	       (input->state == INPUT_WAITING || input->state == INPUT_FLOWING);
}
