/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatting the text log without printf. */
#include "trace/text_write.h"

#include <stdbool.h>

#include "trace/ops.h"

size_t text_decimal(char *to, uint64_t value, unsigned width)
{
	char digits[20];
	size_t n = 0, at = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		to[at++] = digits[--n];
	while (at < width)
		to[at++] = ' ';
	return at;
}

size_t text_hex(char *to, uint64_t value)
{
	int shift = value ? (63 - __builtin_clzll(value)) / 4 * 4 : 0;
	size_t at = 0;

	for (; shift >= 0; shift -= 4)
		to[at++] = "0123456789abcdef"[value >> shift & 15];
	return at;
}

size_t text_clean(char *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)from[i];

		to[i] = c < 0x20 || c == 0x7f ? '?' : from[i];
	}
	return length;
}

/* Text, then blanks up to width columns. */
static size_t put(char *to, const char *text, size_t width)
{
	size_t at = 0;

	for (; text[at]; at++)
		to[at] = text[at];
	while (at < width)
		to[at++] = ' ';
	return at;
}

size_t text_prefix(char *to, uint32_t tid, const char *name, size_t length)
{
	size_t at = put(to, "[memtrack] tid=", 0), start;

	at += text_decimal(to + at, tid, 6);
	at += put(to + at, " (", 0);
	start = at;
	at += text_clean(to + at, name, length < TEXT_NAME_MAX ? length : TEXT_NAME_MAX);
	while (at - start < 15)
		to[at++] = ' ';
	at += put(to + at, ") ", 0);
	return at;
}

static size_t put_field(char *to, const char *key, uint64_t value)
{
	size_t at = put(to, key, 0);

	return at + text_decimal(to + at, value, 12);
}

static bool shown(enum op_kind kind)
{
	return kind == OP_KIND_ALLOC || kind == OP_KIND_FREE || kind == OP_KIND_MAP ||
	       kind == OP_KIND_UNMAP || kind == OP_KIND_EXIT;
}

size_t text_event(char *to, unsigned op, uint64_t ptr, uint64_t size, uint64_t microseconds,
		  uint64_t total)
{
	enum op_kind kind = op_kind(op);
	size_t at;

	if (!shown(kind))
		return 0;
	at = put(to, op_label(op), 10);
	at += put_field(to + at, " ts=", microseconds);
	if (kind == OP_KIND_EXIT) {
		at += put_field(to + at, " total=", size);
		return at + put(to + at, " bytes allocated\n", 0);
	}
	if (kind != OP_KIND_FREE)
		at += put_field(to + at, " size=", size);
	if (kind == OP_KIND_ALLOC || kind == OP_KIND_MAP)
		at += put_field(to + at, "  total=", total);
	at += put(to + at, "  ptr=0x", 0);
	at += text_hex(to + at, ptr);
	to[at++] = '\n';
	return at;
}

size_t text_frame_head(char *to, unsigned depth)
{
	size_t at = put(to, "[memtrack]   #", 0);

	at += text_decimal(to + at, depth, 2);
	to[at++] = ' ';
	return at;
}
