/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of the text log, written. */
#include "trace/text.h"

/* Writing stops at end; at == NULL says that something did not fit. */
struct line_out {
	char *at, *end;
};

static void put_char(struct line_out *o, char c)
{
	if (o->at && o->at == o->end)
		o->at = NULL;
	if (o->at)
		*o->at++ = c;
}

static void put_blanks(struct line_out *o, size_t used, size_t width)
{
	for (; used < width; used++)
		put_char(o, ' ');
}

static void put_literal(struct line_out *o, const char *text)
{
	while (*text)
		put_char(o, *text++);
}

static void put_name(struct line_out *o, struct trace_string s, size_t max, size_t width)
{
	size_t length = s.length < max ? s.length : max;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)s.data[i];

		put_char(o, c < 0x20 || c == 0x7f ? '?' : (char)c);
	}
	put_blanks(o, length, width);
}

static void put_decimal(struct line_out *o, uint64_t value, size_t width)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = n; i-- > 0; )
		put_char(o, digits[i]);
	put_blanks(o, n, width);
}

static void put_hex(struct line_out *o, uint64_t value)
{
	unsigned shift = 60;

	put_literal(o, "0x");
	while (shift && !(value >> shift))
		shift -= 4;
	for (; ; shift -= 4) {
		put_char(o, "0123456789abcdef"[value >> shift & 15]);
		if (!shift)
			return;
	}
}

static void put_field(struct line_out *o, const char *key, uint64_t value, size_t width)
{
	put_literal(o, key);
	put_decimal(o, value, width);
}

static size_t finish(struct line_out *o, const char *start)
{
	put_char(o, '\n');
	return o->at ? (size_t)(o->at - start) : 0;
}

size_t text_format_event(char *out, size_t size, const struct text_line *line)
{
	struct line_out o = { out, out + size };

	put_field(&o, TEXT_MARK "tid=", line->tid, 6);
	put_literal(&o, " (");
	put_name(&o, line->name, 64, 15);
	put_literal(&o, ") ");
	put_name(&o, line->op, 64, 10);
	put_field(&o, " ts=", line->ts, 12);
	if (line->kind == TEXT_EXIT) {
		put_field(&o, " total=", line->total, 12);
		put_literal(&o, " bytes allocated");
		return finish(&o, out);
	}
	if (line->has_size)
		put_field(&o, " size=", line->size, 12);
	if (line->has_total)
		put_field(&o, "  total=", line->total, 12);
	put_literal(&o, "  ptr=");
	put_hex(&o, line->ptr);
	return finish(&o, out);
}

size_t text_format_frame(char *out, size_t size, const struct text_line *line)
{
	struct line_out o = { out, out + size };

	put_field(&o, TEXT_MARK "  #", line->index, 2);
	put_char(&o, ' ');
	put_name(&o, line->binary, SIZE_MAX, 0);
	put_char(&o, '(');
	put_name(&o, line->symbol, SIZE_MAX, 0);
	put_char(&o, '+');
	put_hex(&o, line->offset);
	put_literal(&o, ") [");
	put_hex(&o, line->pc);
	put_char(&o, ']');
	return finish(&o, out);
}
