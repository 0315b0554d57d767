/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The question at the end, and its answers. */
#include "memview/leave.h"

#include <stddef.h>

#include "memview/keys.h"
#include "memview/recorder.h"
#include "memview/view.h"

struct answer {
	char key;
	enum viewer_wish wish;
	const char *what, *trace, *brief;
};

static const struct answer of_started[] = {
	{ 'g', VIEWER_LEAVES, "go on without the viewer; memtrack waits for its end",
	  "it is traced on; memview -f FILE shows it again", "go on" },
	{ 'd', VIEWER_DETACHES, "detach: it goes on by itself, untraced", "the trace ends here, and is complete", "detach" },
	{ 'k', VIEWER_KILLS, "kill it: SIGTERM, SIGKILL if it is still there after 3 s",
	  "the trace goes to its end", "kill" },
	{ 0 },
}, of_attached[] = {
	{ 'd', VIEWER_DETACHES, "detach: it goes on as before, untraced", "the trace ends here", "detach" },
	{ 'k', VIEWER_KILLS, "kill it: SIGTERM, SIGKILL if it is still there after 3 s",
	  "the trace goes to its end", "kill" },
	{ 0 },
};

static const struct answer *answers(const struct view *view)
{
	return view->launched ? of_started : of_attached;
}

bool leave_concerns(const struct view *view)
{
	return view->launched || (view->recorder && view->recorder->target >= 0);
}

/* Of the first process: the one that was started. */
static bool program_runs(const struct view *view)
{
	struct heap_status status;

	heap_status(view->root, &status);
	return leave_concerns(view) && status.end == HEAP_RUNNING && input_state(view->input) == INPUT_FLOWING;
}

void leave(struct view *view)
{
	view->leaving = program_runs(view);
	view->quit = !view->leaving;
	view->redraw = true;
}

bool leave_is_asked(const struct view *view)
{
	return view->leaving;
}

void leave_key(struct view *view, int key)
{
	for (const struct answer *a = answers(view); a->key; a++) {
		if (key != a->key)
			continue;
		view->wish = a->wish;
		view->quit = true;
	}
	if (key == KEYS_ESCAPE || key == 'q')
		view->leaving = false;
	view->redraw = true;
}

static struct pen line(const struct view *view, int row)
{
	struct pen pen = pen_at(view->term, row, 0, view->layout.columns);

	pen_space(&pen, STYLE_PLAIN, 1);
	return pen;
}

void leave_draw(const struct view *view)
{
	bool runs = program_runs(view);
	struct pen pen = line(view, 0);
	int row = 2;

	pen_text(&pen, STYLE_TITLE, runs ? "The program still runs. What shall become of it?" :
		 "The program has ended meanwhile: any of these keys quits.");
	for (const struct answer *a = answers(view); a->key; a++) {
		pen = line(view, row++);
		pen_printf(&pen, STYLE_KEY, "%c ", a->key);
		pen_text(&pen, STYLE_PLAIN, a->what);
		pen = line(view, row++);
		pen_printf(&pen, STYLE_FAINT, "  %s", a->trace);
	}
	pen = line(view, row);
	pen_text(&pen, STYLE_KEY, "Esc ");
	pen_text(&pen, STYLE_PLAIN, "stay");
	if (view->launched) {
		pen = line(view, row + 2);
		pen_text(&pen, STYLE_FAINT, "FILE: ");
		pen_clip(&pen, STYLE_FAINT, view->name);
	}
	pen = line(view, view->layout.keys);
	for (const struct answer *a = answers(view); a->key; a++)
		pen_printf(&pen, STYLE_BOLD, "%c %s   ", a->key, a->brief);
	pen_text(&pen, STYLE_BOLD, "Esc stay");
}
