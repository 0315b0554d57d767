/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the bytes of a trace come from: a file, a growing file, a pipe or a socket. Never blocks. */
#ifndef MEMVIEW_INPUT_H
#define MEMVIEW_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum input_state {
	INPUT_WAITING,		/* not there yet: no such file so far, nobody listens so far */
	INPUT_FLOWING,
	INPUT_REPLACED,		/* the growing file is shorter, begins differently, or is another one, than what was read */
	INPUT_ENDED,		/* all bytes were read */
	INPUT_FAILED,		/* see input_message() */
};

struct input_request {
	const char *where;	/* FILE, -, or [HOST]:PORT */
	const char *save;	/* tee the bytes to this file, or NULL */
	bool follow;		/* a file may still grow */
	int pipe;		/* a descriptor that is open already, and closed with the input; where is its
				 * name; 0: none */
};

struct input;

/* Opens; says what is wrong in one sentence (error) when that is known at once.  0 or -1. */
int input_open(struct input **input, const struct input_request *request, char *error, size_t size);
void input_close(struct input *input);

/* Whether where names a socket rather than a file. */
bool input_is_socket(const char *where);

/* Up to size bytes: > 0 their count, 0 nothing just now (look at the state). */
ssize_t input_read(struct input *input, void *data, size_t size);

enum input_state input_state(const struct input *input);

/* What the user should know about the state or the saving, "" for nothing. */
const char *input_message(const struct input *input);

/* Whether there is a tee; whether it lost something (the message says what). */
bool input_saves(const struct input *input);
bool input_save_failed(const struct input *input);

/* A stream comes once, through a socket or a pipe.  Whether it ended by an error, not by being closed;
 * whether it can be had again, from its start. */
bool input_is_stream(const struct input *input);
bool input_is_broken(const struct input *input);
bool input_can_connect_again(const struct input *input);

/* Reads the file that was put in the place of another from its start; so does what is saved begin again. */
void input_reload(struct input *input);

/* input_read() gives these bytes, which it gave before, once more. */
void input_put_back(struct input *input, const void *bytes, size_t length);

/* next goes on where input ended, whose bytes it has repeated: it takes over the saving. */
void input_succeed(struct input *next, struct input *input);

/* A descriptor to poll for input, -1 when time is the only way to know. */
int input_fd(const struct input *input);

/* Sends bytes to the other end of a socket, greeting before the first; 0 or -errno.  Whether that end is on this
 * machine. */
int input_send(struct input *input, const char *greeting, const char *data, size_t length);
bool input_is_near(const struct input *input);

/* Bytes read, and the size of the file as far as it is known, else 0. */
uint64_t input_position(const struct input *input);
uint64_t input_size(const struct input *input);

/* Whether it is a file that is being followed. */
bool input_is_growing_file(const struct input *input);

/* The trace says that its file is marked so (base/hold.h): if the growing file is that, its writer's death can be told also
 * when he was never seen.  Whether he is gone: nothing more will come, unless another goes on. */
void input_expect_writer(struct input *input, const char *mark);
bool input_is_abandoned(const struct input *input);

/* Whether it is to be read again when it brought nothing. */
bool input_is_watched(const struct input *input);

/* Whether the input may bring more for as long as the user looks. */
bool input_is_live(const struct input *input);

#endif
