/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small line editor: insert, erase, move, UTF-8. */
#include "memview/prompt.h"

#include <stdio.h>
#include <string.h>

#include "memview/keys.h"

void prompt_ask(struct prompt *prompt, const char *question, const char *text)
{
	prompt->question = question;
	snprintf(prompt->text, sizeof(prompt->text), "%s", text ? text : "");
	prompt->length = prompt->cursor = strlen(prompt->text);
	prompt->selected = prompt->length > 0;
	prompt->choice = prompt->yes = false;
}

void prompt_choose(struct prompt *prompt, const char *question)
{
	prompt_ask(prompt, question, NULL);
	prompt->choice = true;
}

bool prompt_is_open(const struct prompt *prompt)
{
	return prompt->question != NULL;
}

void prompt_close(struct prompt *prompt)
{
	prompt->question = NULL;
}

static size_t encode(int key, char out[4])
{
	if (key < 0x80) {
		out[0] = (char)key;
		return 1;
	}
	if (key < 0x800) {
		out[0] = (char)(0xc0 | key >> 6);
		out[1] = (char)(0x80 | (key & 0x3f));
		return 2;
	}
	if (key < 0x10000) {
		out[0] = (char)(0xe0 | key >> 12);
		out[1] = (char)(0x80 | (key >> 6 & 0x3f));
		out[2] = (char)(0x80 | (key & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | key >> 18);
	out[1] = (char)(0x80 | (key >> 12 & 0x3f));
	out[2] = (char)(0x80 | (key >> 6 & 0x3f));
	out[3] = (char)(0x80 | (key & 0x3f));
	return 4;
}

static void insert(struct prompt *prompt, int key)
{
	char bytes[4];
	size_t n = encode(key, bytes);

	if (prompt->length + n >= PROMPT_MAX)
		return;
	memmove(prompt->text + prompt->cursor + n, prompt->text + prompt->cursor,
		prompt->length - prompt->cursor + 1);
	memcpy(prompt->text + prompt->cursor, bytes, n);
	prompt->cursor += n;
	prompt->length += n;
}

static bool is_middle(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t before(const struct prompt *prompt, size_t at)
{
	while (at > 0 && is_middle(prompt->text[--at]))
		;
	return at;
}

static size_t after(const struct prompt *prompt, size_t at)
{
	if (at < prompt->length)
		at++;
	while (at < prompt->length && is_middle(prompt->text[at]))
		at++;
	return at;
}

static void erase(struct prompt *prompt, size_t from, size_t to)
{
	memmove(prompt->text + from, prompt->text + to, prompt->length - to + 1);
	prompt->length -= to - from;
	prompt->cursor = from;
}

static size_t word_before(const struct prompt *prompt)
{
	size_t at = prompt->cursor;

	while (at > 0 && prompt->text[at - 1] == ' ')
		at--;
	while (at > 0 && prompt->text[at - 1] != ' ')
		at--;
	return at;
}

static bool is_character(int key)
{
	return key >= 0x20 && key < KEYS_SPECIAL && (key < 0x7f || key >= 0xa0);
}

static bool is_eraser(int key)
{
	return key == KEYS_BACKSPACE || key == KEYS_DELETE || key == KEYS_CTRL('d') ||
	       key == KEYS_CTRL('u') || key == KEYS_CTRL('w') || key == KEYS_CTRL('k');
}

/* The first key says what becomes of the old answer. */
static void unselect(struct prompt *prompt, int key)
{
	if (!prompt->selected || key == KEYS_NONE)
		return;
	prompt->selected = false;
	if (is_character(key) || is_eraser(key))
		erase(prompt, 0, prompt->length);
}

static void edit(struct prompt *prompt, int key)
{
	unselect(prompt, key);
	switch (key) {
	case KEYS_LEFT:
	case KEYS_CTRL('b'):
		prompt->cursor = before(prompt, prompt->cursor);
		break;
	case KEYS_RIGHT:
	case KEYS_CTRL('f'):
		prompt->cursor = after(prompt, prompt->cursor);
		break;
	case KEYS_HOME:
	case KEYS_CTRL('a'):
		prompt->cursor = 0;
		break;
	case KEYS_END:
	case KEYS_CTRL('e'):
		prompt->cursor = prompt->length;
		break;
	case KEYS_BACKSPACE:
		erase(prompt, before(prompt, prompt->cursor), prompt->cursor);
		break;
	case KEYS_DELETE:
	case KEYS_CTRL('d'):
		erase(prompt, prompt->cursor, after(prompt, prompt->cursor));
		break;
	case KEYS_CTRL('u'):
		erase(prompt, 0, prompt->cursor);
		break;
	case KEYS_CTRL('w'):
		erase(prompt, word_before(prompt), prompt->cursor);
		break;
	case KEYS_CTRL('k'):
		erase(prompt, prompt->cursor, prompt->length);
		break;
	default:
		if (is_character(key))
			insert(prompt, key);
	}
}

static enum prompt_outcome choose(struct prompt *prompt, int key)
{
	prompt->yes = key == 'y' || key == 'Y';
	if (prompt->yes || key == 'n' || key == 'N' || key == KEYS_ESCAPE || key == KEYS_CTRL('g'))
		return PROMPT_DONE;
	return PROMPT_GOES_ON;
}

enum prompt_outcome prompt_key(struct prompt *prompt, int key)
{
	if (prompt->choice)
		return choose(prompt, key);
	if (key == KEYS_ENTER)
		return PROMPT_DONE;
	if (key == KEYS_ESCAPE || key == KEYS_CTRL('g'))
		return PROMPT_GIVEN_UP;
	edit(prompt, key);
	return PROMPT_GOES_ON;
}

void prompt_draw(const struct prompt *prompt, struct pen *pen)
{
	size_t from = 0;
	int width;
	char head[PROMPT_MAX];

	pen_printf(pen, STYLE_BOLD, "%s ", prompt->question);
	/* The text scrolls so that the cursor stays in sight. */
	for (;;) {
		snprintf(head, sizeof(head), "%.*s", (int)(prompt->cursor - from), prompt->text + from);
		width = pen_width(pen->term, head);
		if (width < pen_left(pen) || from >= prompt->cursor)
			break;
		from = after(prompt, from);
	}
	if (pen_left(pen) > width)
		term_cursor(pen->term, pen->row, pen->column + width);
	pen_text(pen, prompt->selected ? STYLE_SELECTED : STYLE_PLAIN, prompt->text + from);
	if (prompt->selected)
		pen_clip(pen, STYLE_FAINT, " (Enter keeps, type to replace)");
	pen_fill(pen, STYLE_PLAIN);
}
