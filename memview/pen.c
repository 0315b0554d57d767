/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Safe text on one row: decoding, column counting, clipping, glyphs with ASCII stand-ins. */
#include "base/alloc.h"
#include "memview/pen.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_CELLS 128	/* characters handed to the terminal at once */

static const wchar_t *const wide_glyphs[] = {
#define X(id, wide, plain) wide,
	PEN_GLYPHS(X)
#undef X
};

static const wchar_t *const plain_glyphs[] = {
#define X(id, wide, plain) plain,
	PEN_GLYPHS(X)
#undef X
};

/* Decodes one character of at most length bytes; its length in *used.  -1: not valid UTF-8. */
static int32_t decode(const unsigned char *s, size_t length, size_t *used)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t c = s[0];
	size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 :
		      c >= 0xf0 && c < 0xf5 ? 3 : 4;

	*used = 1;
	if (more == 4 || more >= length)
		return more ? -1 : (int32_t)c;
	if (more)
		c &= 0x3fu >> more;
	for (size_t i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return -1;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return -1;
	*used = more + 1;
	return (int32_t)c;
}

/* Characters that would turn the line around or hide in it. */
static bool is_treacherous(int32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       c == 0x061c || c == 0x00ad;
}

/* One unit of output: up to four cells per byte of an escape. */
struct unit {
	wchar_t text[17];
	int count, columns;
};

static void unit_escape(struct unit *unit, const unsigned char *bytes, size_t n)
{
	unit->count = 0;
	for (size_t i = 0; i < n; i++) {
		unit->text[unit->count++] = L'\\';
		unit->text[unit->count++] = L'x';
		unit->text[unit->count++] = L"0123456789abcdef"[bytes[i] >> 4];
		unit->text[unit->count++] = L"0123456789abcdef"[bytes[i] & 15];
	}
	unit->columns = unit->count;
}

/* Takes the next character, made safe; returns the bytes used. */
static size_t unit_next(struct unit *unit, const struct term *term, const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used;
	int32_t c = decode(s, length, &used);
	int columns;

	if (c < 0 || is_treacherous(c)) {
		unit_escape(unit, s, used);
		return used;
	}
	columns = c < 0x7f ? 1 : term_unicode(term) ? wcwidth((wchar_t)c) : -1;
	unit->text[0] = columns < 0 ? L'?' : (wchar_t)c;
	unit->count = 1;
	unit->columns = columns < 0 ? 1 : columns;
	return used;
}

struct pen pen_at(struct term *term, int row, int column, int width)
{
	struct pen pen = { term, row, column, column + width };

	if (pen.end > term_columns(term))
		pen.end = term_columns(term);
	if (row < 0 || row >= term_rows(term) || column < 0)
		pen.end = pen.column;
	return pen;
}

int pen_left(const struct pen *pen)
{
	return pen->end > pen->column ? pen->end - pen->column : 0;
}

static void put(struct pen *pen, unsigned style, const wchar_t *text, int count, int columns)
{
	if (count)
		term_write(pen->term, pen->row, pen->column, style, text, (size_t)count);
	pen->column += columns;
}

void pen_bytes(struct pen *pen, unsigned style, const char *text, size_t length)
{
	wchar_t run[RUN_CELLS] = L"";
	int count = 0, columns = 0, left = pen_left(pen);
	size_t at = 0;

	while (at < length) {
		struct unit unit;
		size_t used = unit_next(&unit, pen->term, text + at, length - at);

		if (columns + unit.columns > left)
			break;
		if (count + unit.count > RUN_CELLS) {
			put(pen, style, run, count, columns);
			left -= columns;
			count = columns = 0;
		}
		wmemcpy(run + count, unit.text, (size_t)unit.count);
		count += unit.count;
		columns += unit.columns;
		at += used;
	}
	put(pen, style, run, count, columns);
	/* The next thing must not slip into the room a wide character could not use. */
	if (at < length)
		pen_fill(pen, style);
}

void pen_text(struct pen *pen, unsigned style, const char *text)
{
	pen_bytes(pen, style, text, strlen(text));
}

void pen_printf(struct pen *pen, unsigned style, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	pen_text(pen, style, text);
	free(text);
}

/* Bytes of text that fit into columns; *taken are the columns they take. */
static size_t fitting(const struct term *term, const char *text, size_t length, int columns, int *taken)
{
	size_t at = 0;

	*taken = 0;
	while (at < length) {
		struct unit unit;
		size_t used = unit_next(&unit, term, text + at, length - at);

		if (*taken + unit.columns > columns)
			break;
		*taken += unit.columns;
		at += used;
	}
	return at;
}

void pen_clip(struct pen *pen, unsigned style, const char *text)
{
	size_t length = strlen(text);
	int left = pen_left(pen), taken;
	size_t fits = fitting(pen->term, text, length, left, &taken);

	if (fits == length) {
		pen_bytes(pen, style, text, length);
		return;
	}
	if (!left)
		return;
	fits = fitting(pen->term, text, length, left - 1, &taken);
	pen_bytes(pen, style, text, fits);
	pen_glyph(pen, style, GLYPH_MORE);
	pen_fill(pen, style);
}

void pen_field(struct pen *pen, unsigned style, const char *text, int width, bool right)
{
	struct pen field = *pen;
	int columns;

	if (width > pen_left(pen))
		width = pen_left(pen);
	field.end = pen->column + width;
	columns = right ? pen_width(pen->term, text) : 0;
	if (right && columns < width)
		pen_space(&field, style, width - columns);
	pen_clip(&field, style, text);
	pen_fill(&field, style);
	pen->column += width;
}

void pen_glyph(struct pen *pen, unsigned style, enum pen_glyph glyph)
{
	const wchar_t *text = (term_unicode(pen->term) ? wide_glyphs : plain_glyphs)[glyph];
	int count = (int)wcslen(text);

	if (count <= pen_left(pen))
		put(pen, style, text, count, count);
}

void pen_level(struct pen *pen, unsigned style, int level)
{
	static const wchar_t bars[] = L" \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
	static const wchar_t plain[] = L" _.-:=+*#";
	const wchar_t *set = term_unicode(pen->term) ? bars : plain;

	if (level < 0)
		level = 0;
	if (level > PEN_LEVELS)
		level = PEN_LEVELS;
	if (pen_left(pen))
		put(pen, style, set + level, 1, 1);
}

void pen_repeat(struct pen *pen, unsigned style, enum pen_glyph glyph, int count)
{
	while (count-- > 0 && pen_left(pen))
		pen_glyph(pen, style, glyph);
}

void pen_space(struct pen *pen, unsigned style, int count)
{
	static const wchar_t blanks[] = L"                                ";

	if (count > pen_left(pen))
		count = pen_left(pen);
	while (count > 0) {
		int n = count < 32 ? count : 32;

		put(pen, style, blanks, n, n);
		count -= n;
	}
}

void pen_fill(struct pen *pen, unsigned style)
{
	pen_space(pen, style, pen_left(pen));
}

int pen_width(const struct term *term, const char *text)
{
	int taken;

	fitting(term, text, strlen(text), 1 << 20, &taken);
	return taken;
}
