/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocation that cannot fail. */
#include "base/alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int exit_status;

void alloc_exit_status(int status)
{
	exit_status = status;
}

static _Noreturn void die(size_t size)
{
	char line[128];
	int length = snprintf(line, sizeof(line), "%s: out of memory: cannot allocate %zu bytes\n",
			      program_invocation_short_name, size);

	/* No stdio: its buffers may want memory too. */
	if (write(STDERR_FILENO, line, (size_t)length) < 0 || exit_status)
		_exit(exit_status ? exit_status : 125);
	abort();
}

void *xmalloc(size_t size)
{
	void *block = malloc(size ? size : 1);

	if (!block)
		die(size);
	return block;
}

void *xcalloc(size_t count, size_t size)
{
	void *block = count && size ? calloc(count, size) : calloc(1, 1);

	if (!block)
		die(count * size);
	return block;
}

void *xrealloc(void *block, size_t size)
{
	void *moved = realloc(block, size ? size : 1);

	if (!moved)
		die(size);
	return moved;
}

void *xreallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		die(SIZE_MAX);
	return xrealloc(block, bytes);
}

void *xmemdup(const void *data, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

char *xstrdup(const char *text)
{
	return xmemdup(text, strlen(text) + 1);
}

char *xstrndup(const char *text, size_t max)
{
	size_t length = strnlen(text, max);
	char *copy = xmalloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		die(strlen(format));
	return text;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}
