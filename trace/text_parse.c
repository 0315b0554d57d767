/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of the text log, read. */
#include "trace/text.h"

struct line_in {
	const char *at, *end;
};

static bool starts(const struct line_in *in, const char *text)
{
	const char *at = in->at;

	while (*text && at < in->end && *at == *text) {
		at++;
		text++;
	}
	return !*text;
}

static bool take(struct line_in *in, const char *text)
{
	if (!starts(in, text))
		return false;
	while (*text++)
		in->at++;
	return true;
}

static void skip_blanks(struct line_in *in)
{
	while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
		in->at++;
}

static bool take_decimal(struct line_in *in, uint64_t *value)
{
	const char *start = in->at;
	uint64_t v = 0;

	for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*in->at - '0'), &v))
			return false;
	}
	*value = v;
	return in->at > start;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool take_hex(struct line_in *in, uint64_t *value)
{
	const char *start;
	uint64_t v = 0;

	if (!take(in, "0x"))
		return false;
	for (start = in->at; in->at < in->end && hex_digit(*in->at) >= 0; in->at++)
		v = v << 4 | (uint64_t)hex_digit(*in->at);
	*value = v;
	return in->at > start && in->at - start <= 16;
}

static bool take_number(struct line_in *in, uint64_t *value)
{
	return starts(in, "0x") ? take_hex(in, value) : take_decimal(in, value);
}

/* The blank-separated key=value words up to the end.  Words without '=' are passed over. */
static bool take_fields(struct line_in *in, struct text_line *out, bool *has_ts, bool *has_ptr)
{
	for (skip_blanks(in); in->at < in->end; skip_blanks(in)) {
		bool good = true;

		if (take(in, "ts="))
			good = *has_ts = take_number(in, &out->ts);
		else if (take(in, "size="))
			good = out->has_size = take_number(in, &out->size);
		else if (take(in, "total="))
			good = out->has_total = take_number(in, &out->total);
		else if (take(in, "ptr="))
			good = *has_ptr = take_hex(in, &out->ptr);
		else
			while (in->at < in->end && *in->at != ' ')
				in->at++;
		if (!good)
			return false;
	}
	return true;
}

/* The name is what stands between "(" and the last ") OP ts=" of the line that makes sense: it
 * may hold brackets and blanks, and even what looks like fields. */
static bool take_name(struct line_in *in, struct text_line *out)
{
	const char *start, *close = NULL;

	skip_blanks(in);
	if (!take(in, "("))
		return false;
	start = in->at;
	for (const char *at = start; at + 1 < in->end; at++) {
		struct line_in rest = { at + 2, in->end };

		if (at[0] != ')' || at[1] != ' ')
			continue;
		skip_blanks(&rest);
		while (rest.at < rest.end && *rest.at != ' ' && *rest.at != ')')
			rest.at++;
		skip_blanks(&rest);
		if (starts(&rest, "ts=") && at - start >= 15) {
			close = at;
			break;
		}
		if (starts(&rest, "ts=") && !close)
			close = at;
	}
	if (!close)
		return false;
	out->name = (struct trace_string){ start, (size_t)(close - start) };
	while (out->name.length && start[out->name.length - 1] == ' ')
		out->name.length--;
	in->at = close + 1;
	return true;
}

static enum text_kind parse_event(struct line_in *in, struct text_line *out)
{
	bool has_ts = false, has_ptr = false;
	uint64_t tid;
	const char *op;

	if (!take(in, "tid=") || !take_decimal(in, &tid) || tid > UINT32_MAX || !take_name(in, out))
		return TEXT_FOREIGN;
	out->tid = (uint32_t)tid;
	skip_blanks(in);
	for (op = in->at; in->at < in->end && *in->at != ' '; in->at++)
		;
	out->op = (struct trace_string){ op, (size_t)(in->at - op) };
	if (!out->op.length || !take_fields(in, out, &has_ts, &has_ptr) || !has_ts)
		return TEXT_FOREIGN;
	if (has_ptr)
		return TEXT_EVENT;
	return out->has_total && out->op.length == 4 && op[0] == 'E' && op[1] == 'X' ?
		TEXT_EXIT : TEXT_FOREIGN;
}

/* "BINARY(SYMBOL+0xN)" or "BINARY(+0xN)"; whatever else is taken as a binary without symbol. */
static void split_place(const char *start, const char *end, struct text_line *out)
{
	const char *open, *plus = end;

	out->binary = (struct trace_string){ start, (size_t)(end - start) };
	if (end == start || end[-1] != ')')
		return;
	while (plus > start && !(plus[0] == '+' && end - plus > 3 && plus[1] == '0' && plus[2] == 'x'))
		plus--;
	/* The symbol may hold brackets (demangled), the binary's path seldom: the first one. */
	for (open = start; open < plus && *open != '('; open++)
		;
	if (plus > start && open < plus) {
		struct line_in number = { plus + 1, end - 1 };

		if (!take_hex(&number, &out->offset))
			return;
		out->binary.length = (size_t)(open - start);
		out->symbol = (struct trace_string){ open + 1, (size_t)(plus - open - 1) };
	}
}

static enum text_kind parse_frame(struct line_in *in, struct text_line *out)
{
	const char *mark = NULL;
	struct line_in pc;
	uint64_t index;

	if (!take(in, "#") || !take_decimal(in, &index) || index > UINT32_MAX)
		return TEXT_FOREIGN;
	skip_blanks(in);
	for (const char *at = in->at; at + 4 <= in->end; at++) {
		struct line_in here = { at, in->end };

		if (starts(&here, " [0x"))
			mark = at;
	}
	if (!mark)
		return TEXT_FOREIGN;
	pc = (struct line_in){ mark + 2, in->end };
	if (!take_hex(&pc, &out->pc) || !take(&pc, "]"))
		return TEXT_FOREIGN;
	out->index = (uint32_t)index;
	split_place(in->at, mark, out);
	return TEXT_FRAME;
}

enum text_kind text_parse(const char *line, size_t length, struct text_line *out)
{
	struct line_in in = { line, line + length };

	*out = (struct text_line){ .kind = TEXT_FOREIGN };
	while (in.end > line && (in.end[-1] == '\r' || in.end[-1] == ' ' || in.end[-1] == '\n'))
		in.end--;
	/* Program output without a newline may stand in front. */
	while (in.at < in.end && !starts(&in, TEXT_MARK))
		in.at++;
	if (!take(&in, TEXT_MARK))
		return TEXT_FOREIGN;
	skip_blanks(&in);
	out->kind = starts(&in, "#") ? parse_frame(&in, out) : parse_event(&in, out);
	return out->kind;
}
