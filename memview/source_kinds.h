/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside source.c and source_socket.c: one const struct of functions per kind of source. */
#ifndef MEMVIEW_SOURCE_KINDS_H
#define MEMVIEW_SOURCE_KINDS_H

#include "memview/source.h"
#include "wire/connect.h"

struct source_kind {
	/* 0, or -1 with source->message set. */
	int (*open)(struct source *source);
	/* As source_read(), with EOF as 0 and the state set. */
	ssize_t (*read)(struct source *source, void *data, size_t size);
};

struct source {
	const struct source_kind *kind;
	char *where, *save_path;
	bool follow, save_failed;
	int fd, save_fd;
	enum source_state state;
	char message[256];
	uint64_t position;
	uint64_t device, inode;		/* of the growing file that is open */
	struct wire_address address;	/* of a socket */
	struct wire_connect connect;
	uint64_t deadline, next_try;	/* ms of now_ms() */
};

extern const struct source_kind source_socket;

void source_say(struct source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the source for good with a message. Returns 0, as a read() of it would. */
ssize_t source_fail(struct source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
