/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The help screen: a way to a leak, the key table, questions, the colours. */
#include <string.h>

#include "memview/actions.h"
#include "memview/draw.h"

enum { KEYS_COLUMNS = 14 };

/* keys: in a column of their own in front of the text; NULL: none. */
struct entry {
	unsigned style;
	const char *keys, *text;
};

static const struct entry intro[] = {
	{ STYLE_PLAIN, NULL, "To find a leak: f shows only leaks, \\ groups them by call stack; the first row is the worst "
			     "one, and its stack is in the detail pane on the right." },
	{ STYLE_PLAIN, NULL, "" },
};

static const struct entry legend[] = {
	{ STYLE_PLAIN, NULL, "" },
	{ STYLE_PLAIN, NULL, "With the histogram of H, keys about a row or the order bring the list back." },
	{ STYLE_PLAIN, NULL, "When asked: Enter keeps the old answer, typing replaces it, Backspace or Ctrl-u empties it, "
			     "arrows edit it, Esc gives up." },
	{ STYLE_PLAIN, NULL, "" },
	{ STYLE_PLAIN, NULL, "Mouse: the wheel scrolls, a click selects (or sorts, on a column's head; folds, on a tree's "
			     "mark; goes there, on the timeline), a double click is Enter. Keys, colours and the mouse can be "
			     "changed: see memview(1)." },
	{ STYLE_PLAIN, NULL, "" },
	{ STYLE_YOUNG, "[A]", "live, allocated in the last 30 % of the session" },
	{ STYLE_MIDDLE, "[A]", "live, allocated 30 to 75 % of the session ago" },
	{ STYLE_OLD, "[A]", "live and older: look at these first while a program runs" },
	{ STYLE_FREED, "[F]", "freed" },
	{ STYLE_LEAK, "[L]", "leaked: its thread or the program ended without freeing it" },
	{ STYLE_FAINT, "[R]", "not freed, but the C or C++ runtime's own (a buffer of stdout, a thread's table, "
			      "libstdc++'s pool): no leak, in no total of leaks" },
	{ STYLE_FREED, "[X]", "gone: the process executed another program" },
};

#define INTRO ((int)(sizeof(intro) / sizeof(intro[0])))
#define LEGEND ((int)(sizeof(legend) / sizeof(legend[0])))

/* false behind the last. */
static bool entry_at(int at, struct entry *out)
{
	int count;
	const struct action_row *rows = actions_table(&count);

	if (at < INTRO)
		*out = intro[at];
	else if (at < INTRO + count)
		*out = (struct entry){ STYLE_PLAIN, rows[at - INTRO].keys, rows[at - INTRO].help };
	else if (at < INTRO + count + LEGEND)
		*out = legend[at - INTRO - count];
	else
		return false;
	return true;
}

/* How many bytes of an ASCII text go on a line: whole words, if that is possible. */
static size_t fitting(const char *text, size_t width)
{
	size_t length = strlen(text), fits = width;

	if (length <= width)
		return length;
	while (fits > 0 && text[fits] != ' ')
		fits--;
	return fits ? fits : width;
}

/* A line of an entry, from its part on; NULL behind the last. */
static const char *part_of(const struct entry *entry, size_t width, int part)
{
	const char *text = entry->text;

	for (int i = 0; i < part; i++) {
		text += fitting(text, width);
		text += strspn(text, " ");
		if (!*text)
			return NULL;
	}
	return text;
}

static size_t width_of(const struct view *view, const struct entry *entry)
{
	int width = view->layout.columns - 2 - (entry->keys ? KEYS_COLUMNS : 0);

	return width > 8 ? (size_t)width : 8;
}

/* The line of all of the help, wrapped; false behind the last. */
static bool find_line(const struct view *view, int line, struct entry *entry, int *part)
{
	*part = 0;
	for (int at = 0; entry_at(at, entry); at++) {
		for (*part = 0; part_of(entry, width_of(view, entry), *part); ++*part)
			if (line-- == 0)
				return true;
	}
	return false;
}

static void help_line(const struct view *view, struct pen *pen, const struct entry *entry, int part)
{
	size_t width = width_of(view, entry);
	const char *text = part_of(entry, width, part);

	pen_space(pen, STYLE_PLAIN, 1);
	/* Marks have the colour that they are about. */
	if (entry->keys)
		pen_field(pen, entry->style == STYLE_PLAIN ? STYLE_KEY : entry->style, part ? "" : entry->keys,
			  KEYS_COLUMNS, false);
	pen_bytes(pen, entry->style, text, fitting(text, width));
}

static int lines_of(const struct view *view)
{
	struct entry entry;
	int lines = 0;

	for (int at = 0; entry_at(at, &entry); at++)
		for (int part = 0; part_of(&entry, width_of(view, &entry), part); part++)
			lines++;
	return lines;
}

void draw_help(struct view *view)
{
	struct pen pen = pen_at(view->term, 0, 0, view->layout.columns);
	int page = view->layout.rows - 2, lines = lines_of(view), part;
	struct entry entry;

	if (view->help_top + (size_t)page > (size_t)lines)
		view->help_top = lines > page ? (size_t)(lines - page) : 0;
	pen_text(&pen, STYLE_TITLE, " memview: keys");
	for (int i = 0; i < page && find_line(view, (int)view->help_top + i, &entry, &part); i++) {
		pen = pen_at(view->term, i + 1, 0, view->layout.columns);
		help_line(view, &pen, &entry, part);
	}
	pen = pen_at(view->term, view->layout.keys, 0, view->layout.columns);
	pen_text(&pen, STYLE_BOLD, lines > page ? " Down, Up: more; any other key: back" : " any key: back");
}
