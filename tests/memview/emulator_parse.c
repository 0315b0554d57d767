/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sequences of the terminal in memory. */
#include "tests/memview/emulator_state.h"

#include <stdlib.h>
#include <string.h>

void emulator_fault(struct emulator *e, const char *what)
{
	if (!e->faults++)
		snprintf(e->fault, sizeof(e->fault), "%s at row %d, column %d", what, e->at.row, e->at.column);
}

static void fault_of(struct emulator *e, const char *kind, unsigned char final)
{
	char what[64];

	snprintf(what, sizeof(what), "unknown %s %c%d%c%c", kind, e->prefix ? e->prefix : ' ', e->parameters[0],
		 e->middle ? e->middle : ' ', final >= ' ' && final < 0x7f ? final : '?');
	emulator_fault(e, what);
}

/* Parameter i, 0 and absent ones as least. */
static int parameter(const struct emulator *e, int i, int least)
{
	return i < e->parameter_count && e->parameters[i] > least ? e->parameters[i] : least;
}

/* 38;5;N or 48;5;N: returns the parameters used. */
static int extended_colour(struct emulator *e, int i, int16_t *colour)
{
	if (parameter(e, i + 1, 0) != 5 || i + 2 >= e->parameter_count) {
		emulator_fault(e, "a colour of another kind");
		return e->parameter_count;
	}
	*colour = (int16_t)e->parameters[i + 2];
	return 3;
}

static void attribute(struct emulator *e, int code)
{
	static const struct {
		int code;
		uint8_t set, clear;
	} codes[] = {
		{ 1, EMULATOR_BOLD, 0 }, { 2, EMULATOR_DIM, 0 }, { 3, EMULATOR_OTHER, 0 },
		{ 4, EMULATOR_UNDERLINE, 0 }, { 5, EMULATOR_OTHER, 0 }, { 7, EMULATOR_REVERSE, 0 },
		{ 8, EMULATOR_OTHER, 0 }, { 10, 0, 0 }, { 11, 0, 0 },
		{ 22, 0, EMULATOR_BOLD | EMULATOR_DIM }, { 23, 0, EMULATOR_OTHER },
		{ 24, 0, EMULATOR_UNDERLINE }, { 25, 0, EMULATOR_OTHER }, { 27, 0, EMULATOR_REVERSE },
		{ 28, 0, EMULATOR_OTHER },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].code == code) {
			e->style.attributes = (uint8_t)((e->style.attributes & ~codes[i].clear) | codes[i].set);
			return;
		}
	}
	fault_of(e, "attribute", 'm');
}

static void select_style(struct emulator *e)
{
	int count = e->parameter_count ? e->parameter_count : 1;

	for (int i = 0, used = 1; i < count; i += used, used = 1) {
		int code = parameter(e, i, 0);

		if (code == 0)
			e->style = (struct emulator_style){ -1, -1, 0 };
		else if (code >= 30 && code <= 37)
			e->style.front = (int16_t)(code - 30);
		else if (code >= 40 && code <= 47)
			e->style.back = (int16_t)(code - 40);
		else if (code >= 90 && code <= 97)
			e->style.front = (int16_t)(code - 82);
		else if (code >= 100 && code <= 107)
			e->style.back = (int16_t)(code - 92);
		else if (code == 39)
			e->style.front = -1;
		else if (code == 49)
			e->style.back = -1;
		else if (code == 38 || code == 48)
			used = extended_colour(e, i, code == 38 ? &e->style.front : &e->style.back);
		else
			attribute(e, code);
	}
}

static void mode(struct emulator *e, int code, bool on)
{
	switch (code) {
	case 25: e->hidden = !on; break;
	case 47: case 1047: case 1049: emulator_alternate(e, on); break;
	case 1000: case 1002: e->mouse = on; break;
	case 1006: e->sgr_mouse = on; break;
	case 1: e->cursor_keys = on; break;
	case 3: case 4: case 5: case 6: case 7: case 8: case 12: case 1034: case 2004: break;
	default: fault_of(e, "mode", on ? 'h' : 'l'); break;
	}
}

static void modes(struct emulator *e, unsigned char final)
{
	for (int i = 0; i < e->parameter_count; i++) {
		if (e->prefix == '?')
			mode(e, e->parameters[i], final == 'h');
		else if (e->parameters[i] == 4)
			e->insert = final == 'h';
		else if (e->parameters[i] != 34)	/* the cursor's form, of screen and tmux */
			fault_of(e, "mode", final);
	}
}

static void erase_line(struct emulator *e)
{
	int what = parameter(e, 0, 0);

	emulator_erase(e, e->at.row, what == 0 ? e->at.column : 0, what == 1 ? e->at.column + 1 : e->columns);
}

static void erase_screen(struct emulator *e)
{
	int what = parameter(e, 0, 0);

	if (what == 3)
		return;		/* what was scrolled away */
	if (what < 2)
		erase_line(e);
	for (int row = 0; row < e->rows; row++) {
		if (what == 2 || (what == 0 ? row > e->at.row : row < e->at.row))
			emulator_erase(e, row, 0, e->columns);
	}
}

static void region(struct emulator *e)
{
	int top = parameter(e, 0, 1) - 1, bottom = parameter(e, 1, 0);

	e->top = top;
	e->bottom = bottom && bottom <= e->rows ? bottom : e->rows;
	if (e->top >= e->bottom)
		e->top = 0;
	emulator_move(e, 0, 0);
}

static void tab(struct emulator *e, int by)
{
	int column = e->at.column;

	column = by > 0 ? (column / 8 + by) * 8 : ((column + 7) / 8 + by) * 8;
	emulator_move(e, e->at.row, column);
}

static void repeat(struct emulator *e)
{
	for (int i = parameter(e, 0, 1); i > 0; i--)
		emulator_put(e, e->last);
}

/* Sequences with private marks. */
static void control_private(struct emulator *e, unsigned char final)
{
	if (e->prefix == '?' && (final == 'h' || final == 'l'))
		modes(e, final);
	else if ((e->prefix == '?' && final == 'c') || (e->prefix == '>' && final == 'm') ||
		 (e->middle == '!' && final == 'p') || (e->middle == ' ' && final == 'q'))
		;	/* form of the cursor, keys, reset */
	else
		fault_of(e, "sequence", final);
}

static void control(struct emulator *e, unsigned char final)
{
	int n = parameter(e, 0, 1);

	switch (final) {
	case '@': emulator_shift(e, n); break;
	case 'A': emulator_move(e, e->at.row - n, e->at.column); break;
	case 'B': case 'e': emulator_move(e, e->at.row + n, e->at.column); break;
	case 'C': case 'a': emulator_move(e, e->at.row, e->at.column + n); break;
	case 'D': emulator_move(e, e->at.row, e->at.column - n); break;
	case 'G': case '`': emulator_move(e, e->at.row, n - 1); break;
	case 'H': case 'f': emulator_move(e, n - 1, parameter(e, 1, 1) - 1); break;
	case 'I': tab(e, n); break;
	case 'Z': tab(e, -n); break;
	case 'J': erase_screen(e); break;
	case 'K': erase_line(e); break;
	case 'L': emulator_scroll(e, e->at.row, e->bottom, -n); break;
	case 'M': emulator_scroll(e, e->at.row, e->bottom, n); break;
	case 'P': emulator_shift(e, -n); break;
	case 'S': emulator_scroll(e, e->top, e->bottom, n); break;
	case 'T': emulator_scroll(e, e->top, e->bottom, -n); break;
	case 'X': emulator_erase(e, e->at.row, e->at.column, e->at.column + n); break;
	case 'b': repeat(e); break;
	case 'd': emulator_move(e, n - 1, e->at.column); break;
	case 'g': break;
	case 'h': case 'l': modes(e, final); break;
	case 'm': select_style(e); break;
	case 'r': region(e); break;
	case 't': break;	/* the window's title is put on a stack */
	default: fault_of(e, "sequence", final); break;
	}
}

static void csi_byte(struct emulator *e, unsigned char c)
{
	if (c >= '0' && c <= '9') {
		int *last = &e->parameters[e->parameter_count ? e->parameter_count - 1 : 0];

		e->parameter_count += !e->parameter_count;
		*last = *last < 100000 ? *last * 10 + (c - '0') : *last;
	} else if (c == ';' || c == ':') {
		e->parameter_count += e->parameter_count ? 1 : 2;
		if (e->parameter_count > EMULATOR_PARAMETERS)
			e->parameter_count = EMULATOR_PARAMETERS;
	} else if (c >= '<' && c <= '?') {
		e->prefix = (char)c;
	} else if (c >= ' ' && c <= '/') {
		e->middle = (char)c;
	} else {
		e->state = EMULATOR_GROUND;
		if (c < 0x40 || c > 0x7e)
			emulator_fault(e, "a broken sequence");
		else if (e->prefix || e->middle)
			control_private(e, c);
		else
			control(e, c);
	}
}

static void escape_byte(struct emulator *e, unsigned char c)
{
	e->state = EMULATOR_GROUND;
	e->prefix = e->middle = 0;
	e->parameter_count = 0;
	memset(e->parameters, 0, sizeof(e->parameters));
	switch (c) {
	case '[': e->state = EMULATOR_CSI; break;
	case ']': case 'P': case '_': case '^': case 'k': e->state = EMULATOR_STRING; e->string_length = 0; break;
	case '(': case ')': case '*': case '+': case '#': case '%': e->state = EMULATOR_CHARSET; break;
	case '7': e->saved = e->at; break;
	case '8': e->at = e->saved; emulator_move(e, e->at.row, e->at.column); break;
	case '=': case '>': break;
	case 'D': emulator_down(e); break;
	case 'E': e->at.column = 0; emulator_down(e); break;
	case 'H': break;
	case 'M':
		if (e->at.row == e->top)
			emulator_scroll(e, e->top, e->bottom, -1);
		else
			emulator_move(e, e->at.row - 1, e->at.column);
		break;
	case 'c': e->style = (struct emulator_style){ -1, -1, 0 }; break;
	case '\\': break;
	default: fault_of(e, "escape", c); break;
	}
}

/* Titles: OSC 0 and 2.  Others change colours, the clipboard, and more that is not a program's. */
static void string_end(struct emulator *e)
{
	e->state = EMULATOR_GROUND;
	e->string[e->string_length] = 0;
	if (strncmp(e->string, "0;", 2) && strncmp(e->string, "2;", 2))
		emulator_fault(e, "a string that is no title");
	else
		snprintf(e->title, sizeof(e->title), "%s", e->string);
}

static void string_byte(struct emulator *e, unsigned char c)
{
	if (c == 0x1b) {
		e->state = EMULATOR_STRING_ESCAPE;
	} else if (c == 7) {
		string_end(e);
	} else if (e->string_length < sizeof(e->string) - 1) {
		e->string[e->string_length++] = (char)c;
	}
}

static void control_byte(struct emulator *e, unsigned char c)
{
	switch (c) {
	case 0: case 7: case 0x0e: case 0x0f: break;	/* padding, bell, character sets */
	case '\b': emulator_move(e, e->at.row, e->at.column - 1); break;
	case '\t': tab(e, 1); break;
	case '\n': case 0x0b: case 0x0c: emulator_down(e); e->at.full = false; break;
	case '\r': emulator_move(e, e->at.row, 0); break;
	case 0x1b: e->state = EMULATOR_ESCAPE; break;
	default: emulator_fault(e, "a control code"); break;
	}
}

static void utf8_byte(struct emulator *e, unsigned char c)
{
	uint32_t value;

	if (!e->utf8_have) {
		e->utf8_want = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
		if (c >= 0xf5 || !e->utf8_want) {
			emulator_fault(e, "invalid UTF-8");
			return;
		}
	} else if ((c & 0xc0) != 0x80) {
		emulator_fault(e, "invalid UTF-8");
		e->utf8_have = 0;
		return;
	}
	e->utf8[e->utf8_have++] = c;
	if (e->utf8_have < e->utf8_want)
		return;
	value = e->utf8[0] & (0x7fu >> e->utf8_want);
	for (size_t i = 1; i < e->utf8_want; i++)
		value = value << 6 | (e->utf8[i] & 0x3fu);
	e->utf8_have = 0;
	if (value >= 0x80 && value < 0xa0)
		emulator_fault(e, "a C1 control");
	else
		emulator_put(e, value);
}

static void ground_byte(struct emulator *e, unsigned char c)
{
	if (e->utf8_have || c >= 0x80)
		utf8_byte(e, c);
	else if (c < ' ')
		control_byte(e, c);
	else if (c < 0x7f)
		emulator_put(e, c);
}

void emulator_feed(struct emulator *e, const void *bytes, size_t count)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < count; i++) {
		switch (e->state) {
		case EMULATOR_GROUND: ground_byte(e, p[i]); break;
		case EMULATOR_ESCAPE: escape_byte(e, p[i]); break;
		case EMULATOR_CSI:
			if (p[i] < ' ' && p[i] != 0x1b)
				control_byte(e, p[i]);
			else
				csi_byte(e, p[i]);
			break;
		case EMULATOR_STRING: string_byte(e, p[i]); break;
		case EMULATOR_STRING_ESCAPE: string_end(e); break;
		case EMULATOR_CHARSET: e->state = EMULATOR_GROUND; break;
		}
	}
}
