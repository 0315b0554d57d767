/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file, terminal, pipe or socket that the log goes to, and how to write to it from inside
 * somebody else's program: without SIGPIPE or SIGXFSZ, and never into a file that the program
 * opened under the same number.  System calls in use: fstat, write or sendto, rt_sigprocmask;
 * after an error rt_sigtimedwait.  In a program that shut itself into a sandbox only fstat and
 * write: what else it allows, nobody knows. */
#ifndef HOOK_LOG_FILE_H
#define HOOK_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log_file {
	long fd;		/* -1: there is none */
	uint64_t dev, ino;	/* what fd must still be */
	bool socket;
	bool regular;
};

/* Learns what fd is. False: it is not open; f has no descriptor then. */
bool log_file_know(struct log_file *f, long fd);

/* Is the descriptor still what it was? */
bool log_file_same(const struct log_file *f);

uint64_t log_file_size(const struct log_file *f);

/* Moves to a high, close-on-exec descriptor; the old one is closed if `move`. */
void log_file_raise(struct log_file *f, bool move);

/* Writes all of it, waiting where the other side is slow. 0 or -errno; *written counts what went
 * out in any case. -EBADF: the descriptor is not ours any more. */
long log_file_write(const struct log_file *f, const char *data, size_t length, size_t *written);

#endif
