/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside input.c, input_growing.c and input_socket.c: one const struct of functions per kind of input. */
#ifndef MEMVIEW_INPUT_KINDS_H
#define MEMVIEW_INPUT_KINDS_H

#include "base/buffer.h"
#include "base/hold.h"
#include "memview/input.h"
#include "wire/connect.h"

#define INPUT_HEAD	4096
#define INPUT_GONE	2

struct input_kind {
	/* 0, or -1 with input->message set. */
	int (*open)(struct input *input);
	/* As input_read(), with EOF as 0 and the state set. */
	ssize_t (*read)(struct input *input, void *data, size_t size);
};

struct input {
	const struct input_kind *kind;
	char *where, *save_path;
	bool follow, save_failed, broken, greeted;
	int fd, save_fd;
	enum input_state state;
	char message[256];
	uint64_t position;
	struct buffer back;		/* bytes that were put back */
	uint64_t device, inode;		/* of the growing file that is open */
	char head[INPUT_HEAD];		/* what it began with */
	size_t head_length;
	bool held;			/* somebody held it, so that his death can be told (base/hold.h) */
	unsigned gone;			/* looks in a row without anybody and anything new */
	struct wire_address address;	/* of a socket */
	struct wire_connect connect;
	uint64_t deadline, next_try;	/* ms of now_ms() */
};

extern const struct input_kind input_socket, input_growing;

/* Opens input->where from its start; reads what is there, 0 at the end of that. */
int input_file_open(struct input *input);
ssize_t input_file_read(struct input *input, void *data, size_t size);

void input_say(struct input *input, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the input for good with a message. Returns 0, as a read() of it would. */
ssize_t input_fail(struct input *input, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
