/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of the text log.
 *
 *	[memtrack] tid=12     (worker 1       ) malloc     ts=42  size=8  total=8  ptr=0x...
 *	[memtrack]   #0  ./app(main+0x2a) [0x...]
 *
 * The program's own output may stand before a line of ours, when both write to one terminal. */
#include "model/textline.h"

#include <string.h>

#define TAG	"[memtrack] "
#define TAG_LENGTH	(sizeof(TAG) - 1)
#define NAME_COLUMNS	15u

struct cursor {
	const char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
}

static bool take(struct cursor *c, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(c->end - c->at) < length || memcmp(c->at, text, length))
		return false;
	c->at += length;
	return true;
}

static bool take_decimal(struct cursor *c, uint64_t *value)
{
	const char *start = c->at;

	*value = 0;
	for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
		*value = *value * 10 + (uint64_t)(*c->at - '0');
	return c->at > start && c->at - start < 20 && *value <= INT64_MAX;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool take_hex(struct cursor *c, uint64_t *value)
{
	const char *start;

	if (!take(c, "0x"))
		return false;
	start = c->at;
	*value = 0;
	for (; c->at < c->end && hex_digit(*c->at) >= 0; c->at++)
		*value = *value << 4 | (uint64_t)hex_digit(*c->at);
	return c->at > start && c->at - start <= 16;
}

static struct trace_string take_word(struct cursor *c)
{
	struct trace_string word = { c->at, 0 };

	while (c->at < c->end && *c->at != ' ' && *c->at != '\t')
		c->at++;
	word.length = (size_t)(c->at - word.data);
	return word;
}

/* A name may hold anything, brackets too: it ends at its 15th column.  Names of another width are
 * taken up to the last bracket before the first key. */
static bool take_name(struct cursor *c, struct trace_string *name)
{
	const char *start, *close;

	if (!take(c, "("))
		return false;
	start = c->at;
	close = start + NAME_COLUMNS;
	if (c->end - start <= (ptrdiff_t)NAME_COLUMNS + 1 || close[0] != ')' || close[1] != ' ') {
		const char *keys = memmem(start, (size_t)(c->end - start), " ts=", 4);

		close = keys ? memrchr(start, ')', (size_t)(keys - start)) : NULL;
		if (!close)
			return false;
	}
	c->at = close + 1;
	while (close > start && close[-1] == ' ')
		close--;
	*name = (struct trace_string){ start, (size_t)(close - start) };
	return true;
}

/* False when a number is none, or one that cannot be. */
static bool take_keys(struct cursor *c, struct textline *out)
{
	bool good = true;

	for (skip_blanks(c); c->at < c->end; skip_blanks(c)) {
		if (take(c, "ts="))
			good &= out->has_ts = take_decimal(c, &out->ts);
		else if (take(c, "size="))
			good &= out->has_size = take_decimal(c, &out->size) && out->size <= TEXTLINE_SIZE_MAX;
		else if (take(c, "total="))
			good &= out->has_total = take_decimal(c, &out->total);
		else if (take(c, "ptr="))
			good &= out->has_ptr = take_hex(c, &out->ptr);
		take_word(c);
	}
	return good;
}

static enum textline_kind parse_event(struct cursor *c, struct textline *out)
{
	uint64_t tid;

	if (!take(c, "tid=") || !take_decimal(c, &tid) || tid > UINT32_MAX)
		return TEXTLINE_FOREIGN;
	out->tid = (uint32_t)tid;
	skip_blanks(c);
	if (!take_name(c, &out->name))
		return TEXTLINE_FOREIGN;
	skip_blanks(c);
	out->op = take_word(c);
	if (!take_keys(c, out) || !out->op.length || !out->has_ts)
		return TEXTLINE_DAMAGED;
	if (out->has_ptr)
		return TEXTLINE_EVENT;
	return out->has_total && out->op.length == 4 && !memcmp(out->op.data, "EXIT", 4) ?
	       TEXTLINE_EXIT : TEXTLINE_FOREIGN;
}

/* Where the symbol begins: a mangled name has no brackets, so the last one opens it; a readable
 * one may have, then it is the first. */
static const char *symbol_open(const char *text, const char *plus)
{
	const char *open = memrchr(text, '(', (size_t)(plus - text));

	if (open && memchr(open, ')', (size_t)(plus - open)))
		open = memchr(text, '(', (size_t)(plus - text));
	return open;
}

/* BINARY(SYMBOL+0xN) or BINARY(+0xN) or BINARY(SYMBOL) or BINARY. */
static void split_frame(struct textline *out)
{
	const char *text = out->frame.data, *end = text + out->frame.length;
	const char *open, *plus = end;

	out->binary = out->frame;
	if (!out->frame.length || end[-1] != ')')
		return;
	for (const char *p = end - 1; p > text; p--)
		if (end - p > 3 && !memcmp(p, "+0x", 3)) {
			struct cursor c = { p + 1, end };

			if (take_hex(&c, &out->offset) && c.at == end - 1)
				plus = p;
			break;
		}
	if (plus == end)
		plus = end - 1;
	open = symbol_open(text, plus);
	if (!open)
		return;
	out->binary.length = (size_t)(open - text);
	out->symbol = (struct trace_string){ open + 1, (size_t)(plus - open - 1) };
}

static bool parse_frame(struct cursor *c, struct textline *out)
{
	const char *pc = NULL;
	uint64_t index;

	if (!take(c, "#") || !take_decimal(c, &index))
		return false;
	out->index = (uint32_t)index;
	if (c->at < c->end && *c->at != ' ')
		return false;
	for (const char *p = c->end; p > c->at && !pc; p--)
		if (c->end - p >= 4 && !memcmp(p, " [0x", 4))
			pc = p;
	if (!pc && c->end - c->at >= 4 && !memcmp(c->at, " [0x", 4))
		pc = c->at;
	if (!pc)
		return false;
	out->frame.data = c->at;
	c->at = pc + 2;
	if (!take_hex(c, &out->pc) || !take(c, "]"))
		return false;
	while (out->frame.data < pc && *out->frame.data == ' ')
		out->frame.data++;
	out->frame.length = (size_t)(pc - out->frame.data);
	split_frame(out);
	return true;
}

static bool ours(const char *line, size_t length)
{
	return length > TAG_LENGTH && !memcmp(line, TAG, TAG_LENGTH);
}

void textline_parse(const char *line, size_t length, struct textline *out)
{
	struct cursor c = { line, line + length };

	memset(out, 0, sizeof(*out));
	if (!ours(line, length)) {
		const char *tag = memmem(line, length, TAG, TAG_LENGTH);

		if (!tag)
			return;
		c.at = tag;
	}
	if (c.end > c.at && c.end[-1] == '\r')
		c.end--;
	c.at += TAG_LENGTH;
	skip_blanks(&c);
	if (c.at < c.end && *c.at == '#')
		out->kind = parse_frame(&c, out) ? TEXTLINE_FRAME : TEXTLINE_FOREIGN;
	else
		out->kind = parse_event(&c, out);
}
