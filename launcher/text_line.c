/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatting event lines. */
#include "launcher/text_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "trace/ops.h"

void text_put_padded(struct buffer *out, uint64_t value, unsigned width)
{
	char digits[20];
	unsigned n = 0, written;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	written = n;
	buffer_reserve(out, 20 + width);
	while (n)
		out->data[out->length++] = digits[--n];
	for (; written < width; written++)
		out->data[out->length++] = ' ';
	out->data[out->length] = '\0';
}

void text_put_hex(struct buffer *out, uint64_t value)
{
	int shift = value ? (63 - __builtin_clzll(value)) / 4 * 4 : 0;

	buffer_reserve(out, 16);
	for (; shift >= 0; shift -= 4)
		out->data[out->length++] = "0123456789abcdef"[value >> shift & 15];
	out->data[out->length] = '\0';
}

void text_make_prefix(char prefix[TEXT_LINE_MAX], uint32_t tid, struct trace_string name)
{
	char clean[64];
	size_t n = name.length < sizeof(clean) - 1 ? name.length : sizeof(clean) - 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)name.data[i];

		clean[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	clean[n] = '\0';
	snprintf(prefix, TEXT_LINE_MAX, "[memtrack] tid=%-6u (%-15s) ", tid, clean);
}

static void put_text(struct buffer *out, const char *text)
{
	buffer_append(out, text, strlen(text));
}

static void put_label(struct buffer *out, const char *label)
{
	size_t n = strlen(label);

	buffer_append(out, label, n);
	if (n < 10)
		buffer_append(out, "          ", 10 - n);
}

static void put_field(struct buffer *out, const char *key, uint64_t value)
{
	put_text(out, key);
	text_put_padded(out, value, 12);
}

void text_put_event(struct buffer *out, const char *prefix, const struct trace_event *e,
		    uint64_t microseconds, uint64_t total)
{
	enum op_kind kind = op_kind(e->op);

	if (kind == OP_KIND_NONE || kind == OP_KIND_FINDING || e->inner)
		return;
	put_text(out, prefix);
	put_label(out, op_label(e->op));
	put_field(out, " ts=", microseconds);
	if (kind == OP_KIND_EXIT) {
		put_field(out, " total=", e->size);
		put_text(out, " bytes allocated\n");
		return;
	}
	if (kind != OP_KIND_FREE)
		put_field(out, " size=", e->size);
	if (kind == OP_KIND_ALLOC || kind == OP_KIND_MAP)
		put_field(out, "  total=", total);
	put_text(out, "  ptr=0x");
	text_put_hex(out, e->ptr);
	buffer_append_char(out, '\n');
}
