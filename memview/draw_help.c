/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The help screen: a way to a leak, the key table, questions, the colours. */
#include <string.h>

#include "memview/actions.h"
#include "memview/draw.h"

enum { KEYS_COLUMNS = 14 };

static const char *const intro[] = {
	"To find a leak: f shows only leaks, \\ groups them by call stack; the first",
	"row is the worst one, and its stack is in the detail pane on the right.",
	"",
};

static const struct {
	unsigned style;
	const char *text;
} legend[] = {
	{ STYLE_PLAIN, "" },
	{ STYLE_PLAIN, "With the histogram of H, keys about a row or the order bring the list back." },
	{ STYLE_PLAIN, "When asked: Enter keeps the old answer, typing replaces it, Backspace or Ctrl-u" },
	{ STYLE_PLAIN, "empties it, arrows edit it, Esc gives up." },
	{ STYLE_PLAIN, "" },
	{ STYLE_PLAIN, "Mouse: the wheel scrolls, a click selects (or sorts, on a column's head), a double" },
	{ STYLE_PLAIN, "click is Enter. Keys, colours and the mouse can be changed: see memview(1)." },
	{ STYLE_PLAIN, "" },
	{ STYLE_YOUNG, "[A] live, allocated in the last 30 % of the session" },
	{ STYLE_MIDDLE, "[A] live, allocated 30 to 75 % of the session ago" },
	{ STYLE_OLD, "[A] live and older: look at these first while a program runs" },
	{ STYLE_FREED, "[F] freed" },
	{ STYLE_LEAK, "[L] leaked: its thread or the program ended without freeing it" },
	{ STYLE_FAINT, "[R] not freed, but the C or C++ runtime's own (a buffer of stdout, a thread's" },
	{ STYLE_FAINT, "    table, libstdc++'s pool): no leak, in no total of leaks" },
	{ STYLE_FREED, "[X] gone: the process executed another program" },
};

#define INTRO_LINES ((int)(sizeof(intro) / sizeof(intro[0])))
#define LEGEND_LINES ((int)(sizeof(legend) / sizeof(legend[0])))

static void help_line(struct pen *pen, int line)
{
	int count;
	const struct action_row *rows = actions_table(&count);

	pen_space(pen, STYLE_PLAIN, 1);
	if (line < INTRO_LINES) {
		pen_clip(pen, STYLE_PLAIN, intro[line]);
	} else if (line < INTRO_LINES + count) {
		pen_field(pen, STYLE_KEY, rows[line - INTRO_LINES].keys, KEYS_COLUMNS, false);
		pen_clip(pen, STYLE_PLAIN, rows[line - INTRO_LINES].help);
	} else {
		line -= INTRO_LINES + count;
		pen_clip(pen, legend[line].style, legend[line].text);
	}
}

void draw_help(struct view *view)
{
	int count, page = view->layout.rows - 2, lines;
	struct pen pen = pen_at(view->term, 0, 0, view->layout.columns);

	actions_table(&count);
	lines = INTRO_LINES + count + LEGEND_LINES;
	if (view->help_top + (size_t)page > (size_t)lines)
		view->help_top = lines > page ? (size_t)(lines - page) : 0;
	pen_text(&pen, STYLE_TITLE, " memview: keys");
	for (int i = 0; i < page && (int)view->help_top + i < lines; i++) {
		pen = pen_at(view->term, i + 1, 0, view->layout.columns);
		help_line(&pen, (int)view->help_top + i);
	}
	pen = pen_at(view->term, view->layout.keys, 0, view->layout.columns);
	pen_text(&pen, STYLE_BOLD, lines > page ? " Down, Up: more; any other key: back" : " any key: back");
}
