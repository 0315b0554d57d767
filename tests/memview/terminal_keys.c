/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a keyboard and a mouse send: by name, and at random. */
#include "tests/memview/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static const struct {
	const char *name, *bytes;
} keys[] = {
	{ "Enter", "\r" }, { "Escape", "\033" }, { "Tab", "\t" }, { "Space", " " }, { "BSpace", "\177" },
	{ "BTab", "\033[Z" }, { "NPage", "\033[6~" }, { "PPage", "\033[5~" }, { "DC", "\033[3~" },
};

/* Keys with two forms. */
static const struct {
	const char *name, *normal, *application;
} cursor_keys[] = {
	{ "Up", "\033[A", "\033OA" }, { "Down", "\033[B", "\033OB" }, { "Right", "\033[C", "\033OC" },
	{ "Left", "\033[D", "\033OD" }, { "Home", "\033[1~", "\033OH" }, { "End", "\033[4~", "\033OF" },
};

/* Those whose own terminfo entries have no Home of xterm's. */
static bool is_like_xterm(void)
{
	const char *type = getenv("TERM");

	return type && strncmp(type, "xterm", 5) == 0;
}

static const char *find_key(const struct terminal *t, const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].name, name) == 0)
			return keys[i].bytes;
	}
	for (size_t i = 0; i < sizeof(cursor_keys) / sizeof(cursor_keys[0]); i++) {
		bool application = t->screen.cursor_keys && (i < 4 || is_like_xterm());

		if (strcmp(cursor_keys[i].name, name) == 0)
			return application ? cursor_keys[i].application : cursor_keys[i].normal;
	}
	return NULL;
}

void terminal_press(struct terminal *t, const char *name)
{
	const char *bytes = find_key(t, name);
	char control;

	if (!bytes && name[0] == 'C' && name[1] == '-' && name[2] && !name[3]) {
		control = name[2] & 0x1f;
		terminal_send(t, &control, 1);
		return;
	}
	if (!bytes)
		bytes = name;
	terminal_send(t, bytes, strlen(bytes));
}

static void mouse_event(struct terminal *t, int button, int column, int row, bool release)
{
	char bytes[48];

	if (t->screen.sgr_mouse)
		snprintf(bytes, sizeof(bytes), "\033[<%d;%d;%d%c", button, column + 1, row + 1, release ? 'm' : 'M');
	else
		snprintf(bytes, sizeof(bytes), "\033[M%c%c%c", 32 + (release ? 3 : button), 33 + column, 33 + row);
	terminal_send(t, bytes, strlen(bytes));
}

static void click(struct terminal *t, int button, int column, int row)
{
	mouse_event(t, button, column, row, false);
	mouse_event(t, button, column, row, true);
}

bool terminal_mouse(struct terminal *t, const char *what, int column, int row)
{
	if (!t->screen.mouse)
		return false;
	if (strcmp(what, "up") == 0)
		mouse_event(t, 64, column, row, false);
	else if (strcmp(what, "down") == 0)
		mouse_event(t, 65, column, row, false);
	else if (strcmp(what, "right") == 0)
		click(t, 2, column, row);
	else
		click(t, 0, column, row);
	if (strcmp(what, "double") == 0)
		click(t, 0, column, row);
	return true;
}

static unsigned draw(unsigned *seed, unsigned below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

static void random_size(struct terminal *t, unsigned *seed)
{
	terminal_resize(t, 1 + (int)draw(seed, draw(seed, 8) ? 160 : 500), 1 + (int)draw(seed, draw(seed, 8) ? 60 : 200));
}

static void random_mouse(struct terminal *t, unsigned *seed)
{
	static const char *const what[] = { "up", "down", "click", "double", "right" };
	const char *which = what[draw(seed, 5)];
	int column = (int)draw(seed, (unsigned)t->screen.columns), row = (int)draw(seed, (unsigned)t->screen.rows);

	terminal_mouse(t, which, column, row);
}

/* Answers to what is asked, and nonsense. */
static void random_text(struct terminal *t, unsigned *seed)
{
	static const char *const texts[] = {
		"0.002", "0", "-1", "1e999", "malloc", "ORKER-2", "0x1000", "cache_put", "\303\244\303\266",
		"\346\274\242\345\255\227", "\377\376", "\033[A", "\033[99~", "\033OZ", "\033[<0;99999;99999M", "%s%n",
	};
	const char *text = texts[draw(seed, sizeof(texts) / sizeof(texts[0]))];

	terminal_send(t, text, strlen(text));
	terminal_press(t, draw(seed, 4) ? "Enter" : "Tab");
}

/* Not q, Esc, Ctrl-C, Ctrl-Z, Ctrl-\; W would write files. */
static void random_key(struct terminal *t, unsigned *seed)
{
	static const char *const named[] = {
		"Up", "Down", "Left", "Right", "Home", "End", "NPage", "PPage", "Enter", "Tab", "BTab", "BSpace",
		"DC", "C-l", "C-u", "C-f", "C-b", "C-a", "C-e", "C-w", "Space",
		/* gives up what is asked, so that not all goes into answers */
		"C-g", "C-g", "C-g", "C-g", "C-g", "C-g", "C-g", "C-g",
	};
	char letter[2] = { 0 };

	if (draw(seed, 3) == 0) {
		terminal_press(t, named[draw(seed, sizeof(named) / sizeof(named[0]))]);
		return;
	}
	do {
		letter[0] = (char)('!' + draw(seed, '~' - '!' + 1));
	} while (letter[0] == 'q' || letter[0] == 'W');
	terminal_send(t, letter, 1);
}

static bool all_read(struct terminal *t, const void *data)
{
	int waiting = 0;

	(void)data;
	return t->ended || ioctl(t->slave, FIONREAD, &waiting) < 0 || !waiting;
}

unsigned terminal_random(struct terminal *t, unsigned seed, unsigned count)
{
	unsigned sent = 0;

	while (sent < count && !t->ended) {
		unsigned kind = draw(&seed, 100);

		if (kind == 0)
			random_size(t, &seed);
		else if (kind < 6)
			random_mouse(t, &seed);
		else if (kind < 9)
			random_text(t, &seed);
		else
			random_key(t, &seed);
		sent++;
		/* Now and then it is let come to rest, or to a picture, so that each key is alone, too. */
		if (draw(&seed, 3) == 0)
			terminal_wait(t, 10000, all_read, NULL);
		if (draw(&seed, 3) == 0)
			terminal_look(t, 3);
	}
	return sent;
}
