/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A growing string of bytes.
 *
 * data[length] is a NUL once anything was appended, so text can be used in place; it may hold
 * NULs of its own.  data is NULL while nothing was ever reserved: buffer_text() gives "" then. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdarg.h>
#include <stddef.h>

struct buffer {
	char *data;
	size_t length, capacity;
};

#define BUFFER_INIT { NULL, 0, 0 }

void buffer_init(struct buffer *b);
void buffer_release(struct buffer *b);

/* Makes room for `more` bytes (and a NUL) behind length; data may move. */
void buffer_reserve(struct buffer *b, size_t more);

void buffer_append(struct buffer *b, const void *data, size_t length);
void buffer_append_string(struct buffer *b, const char *text);
void buffer_append_char(struct buffer *b, char c);
void buffer_append_repeat(struct buffer *b, char c, size_t count);
void buffer_printf(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *b, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Empties it and keeps the memory. */
void buffer_clear(struct buffer *b);

/* Cuts off the first `count` bytes. */
void buffer_drop(struct buffer *b, size_t count);

/* The text so far; lives until the buffer changes. */
const char *buffer_text(const struct buffer *b);

/* Writes all of it to a descriptor.  0 or -errno. */
int buffer_write(const struct buffer *b, int fd);

/* Hands the text over: the caller frees it, the buffer is empty again.  Never NULL. */
char *buffer_detach(struct buffer *b);

#endif
