/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the bytes of a trace come from: a file, a growing file, a pipe or a socket. Never blocks. */
#ifndef MEMVIEW_SOURCE_H
#define MEMVIEW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum source_state {
	SOURCE_WAITING,		/* not there yet: no such file so far, nobody listens so far */
	SOURCE_FLOWING,
	SOURCE_ENDED,		/* all bytes were read */
	SOURCE_FAILED,		/* see source_message() */
};

struct source_request {
	const char *where;	/* FILE, -, or [HOST]:PORT */
	const char *save;	/* tee the bytes to this file, or NULL */
	bool follow;		/* a file may still grow */
};

struct source;

/* Opens; says what is wrong in one sentence (error) when that is known at once.  0 or -1. */
int source_open(struct source **source, const struct source_request *request, char *error, size_t size);
void source_close(struct source *source);

/* Whether where names a socket rather than a file. */
bool source_is_socket(const char *where);

/* Up to size bytes: > 0 their count, 0 nothing just now (look at the state), -ESTALE: the file
 * was made anew, all bytes so far are void. */
ssize_t source_read(struct source *source, void *data, size_t size);

enum source_state source_state(const struct source *source);

/* What the user should know about the state or the saving, "" for nothing. */
const char *source_message(const struct source *source);

/* Whether the tee lost something (the message says what). */
bool source_save_failed(const struct source *source);

/* A descriptor to poll for input, -1 when time is the only way to know. */
int source_fd(const struct source *source);

/* Bytes read, and the size of the file as far as it is known, else 0. */
uint64_t source_position(const struct source *source);
uint64_t source_size(const struct source *source);

/* Whether it is a file that is being followed. */
bool source_is_growing_file(const struct source *source);

/* Whether the source may bring more for as long as the user looks. */
bool source_is_live(const struct source *source);

#endif
