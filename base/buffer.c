/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A growing string of bytes. */
#include "base/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

void buffer_init(struct buffer *b)
{
	*b = (struct buffer)BUFFER_INIT;
}

void buffer_release(struct buffer *b)
{
	free(b->data);
	buffer_init(b);
}

void buffer_reserve(struct buffer *b, size_t more)
{
	size_t want = b->length + more + 1;

	if (want <= b->capacity)
		return;
	if (want < b->capacity + b->capacity / 2)
		want = b->capacity + b->capacity / 2;
	if (want < 64)
		want = 64;
	b->data = xrealloc(b->data, want);
	b->capacity = want;
	b->data[b->length] = '\0';
}

void buffer_append(struct buffer *b, const void *data, size_t length)
{
	buffer_reserve(b, length);
	if (length)
		memcpy(b->data + b->length, data, length);
	b->length += length;
	b->data[b->length] = '\0';
}

void buffer_append_string(struct buffer *b, const char *text)
{
	buffer_append(b, text, strlen(text));
}

void buffer_append_char(struct buffer *b, char c)
{
	buffer_append(b, &c, 1);
}

void buffer_append_repeat(struct buffer *b, char c, size_t count)
{
	buffer_reserve(b, count);
	memset(b->data + b->length, c, count);
	b->length += count;
	b->data[b->length] = '\0';
}

void buffer_vprintf(struct buffer *b, const char *format, va_list args)
{
	va_list again;
	size_t room;
	int length;

	buffer_reserve(b, 0);
	room = b->capacity - b->length;
	va_copy(again, args);
	length = vsnprintf(b->data + b->length, room, format, args);
	if (length > 0 && (size_t)length >= room) {
		buffer_reserve(b, (size_t)length);
		vsnprintf(b->data + b->length, (size_t)length + 1, format, again);
	}
	va_end(again);
	if (length > 0)
		b->length += (size_t)length;
	b->data[b->length] = '\0';
}

void buffer_printf(struct buffer *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buffer_vprintf(b, format, args);
	va_end(args);
}

void buffer_clear(struct buffer *b)
{
	b->length = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buffer_drop(struct buffer *b, size_t count)
{
	if (count >= b->length) {
		buffer_clear(b);
		return;
	}
	memmove(b->data, b->data + count, b->length - count + 1);
	b->length -= count;
}

const char *buffer_text(const struct buffer *b)
{
	return b->data ? b->data : "";
}

char *buffer_detach(struct buffer *b)
{
	char *text;

	buffer_reserve(b, 0);
	text = b->data;
	buffer_init(b);
	return text;
}

int buffer_write(const struct buffer *b, int fd)
{
	for (size_t done = 0; done < b->length; ) {
		ssize_t n = write(fd, b->data + done, b->length - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
