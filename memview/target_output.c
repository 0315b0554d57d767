/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pane of the program's output: the file, the place in it, the screen. */
#include "memview/target_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/units.h"
#include "memview/actions.h"
#include "memview/view.h"

void target_output_init(struct target_output *o, const char *path)
{
	*o = (struct target_output){ .path = path, .fd = -1, .follow = true };
}

void target_output_release(struct target_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->window);
	o->fd = -1;
	o->window = NULL;
}

static uint64_t size_now(const struct target_output *o)
{
	struct stat st;

	return o->fd >= 0 && fstat(o->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

bool target_output_news(const struct target_output *o)
{
	return o->shown && size_now(o) != o->size;
}

/* Never one that could make us wait. */
static int open_file(struct target_output *o, const char *path)
{
	struct stat st;

	o->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (o->fd < 0)
		return -errno;
	if (fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode))
		return 0;
	close(o->fd);
	o->fd = -1;
	return -EINVAL;
}

void target_output_show(struct view *view)
{
	struct target_output *o = &view->output;
	bool elsewhere = (view->launched || view->recorder) && !o->path;
	char *path = o->path ? xstrdup(o->path) : xasprintf("%s.out", view->name);
	int rc = elsewhere ? -ENOENT : o->fd < 0 ? open_file(o, path) : 0;

	if (elsewhere)
		view_say(view, false, "the program's output goes %s", view->launched ? "where you sent it" : "into no file");
	else if (rc == -ENOENT && !o->path)
		view_say(view, false, "there is no output of the program: memtrack --view keeps it in %s", path);
	else if (rc)
		view_say(view, true, "cannot read %s: %s", path, strerror(-rc));
	else
		o->shown = o->follow = true;
	if (!o->window)
		o->window = xmalloc(OUTPUT_WINDOW);
	free(path);
	view->redraw = true;
}

/* Bytes of the file from `at` on, below `end`, in the window. */
static size_t look_at(struct target_output *o, uint64_t at, uint64_t end)
{
	size_t want = end > at ? (size_t)(end - at < OUTPUT_WINDOW ? end - at : OUTPUT_WINDOW) : 0;
	ssize_t n = want ? pread(o->fd, o->window, want, (off_t)at) : 0;

	return n > 0 ? (size_t)n : 0;
}

/* Bytes of the line that begins there, with its newline. */
static size_t line_length(const char *text, size_t size)
{
	const char *end;

	if (size > OUTPUT_LINE)
		size = OUTPUT_LINE;
	end = memchr(text, '\n', size);
	return end ? (size_t)(end - text) + 1 : size;
}

/* Where so many lines before `at` begin.  Of what has no newline for long, pieces. */
static uint64_t lines_before(struct target_output *o, uint64_t at, size_t count)
{
	uint64_t from = at > OUTPUT_WINDOW ? at - OUTPUT_WINDOW : 0;
	size_t end = look_at(o, from, at);

	for (; count && end; count--) {
		size_t start = end - 1;		/* its last byte may be its newline */

		while (start && o->window[start - 1] != '\n' && end - start < OUTPUT_LINE)
			start--;
		end = start;
	}
	return from + end;
}

static uint64_t lines_behind(struct target_output *o, uint64_t at, size_t count)
{
	size_t size = look_at(o, at, o->size), done = 0;

	for (; count && done < size; count--)
		done += line_length(o->window + done, size - done);
	return at + done;
}

static size_t page(const struct view *view)
{
	return view->layout.rows > 3 ? (size_t)view->layout.rows - 2 : 1;
}

/* The last page is as far as it goes, and going there means to stay there. */
static void go_to(struct view *view, uint64_t top)
{
	struct target_output *o = &view->output;
	uint64_t last = lines_before(o, o->size, page(view));

	o->follow = top >= last;
	o->top = o->follow ? last : top;
	view->redraw = true;
}

void target_output_scroll(struct view *view, int by)
{
	struct target_output *o = &view->output;

	o->size = size_now(o);
	if (by < 0)
		go_to(view, lines_before(o, o->top, (size_t)-by));
	else
		go_to(view, lines_behind(o, o->top, (size_t)by));
}

void target_output_act(struct view *view, int action)
{
	struct target_output *o = &view->output;
	int lines = (int)page(view);

	switch (action) {
	case ACTION_UP: target_output_scroll(view, -1); break;
	case ACTION_DOWN: target_output_scroll(view, 1); break;
	case ACTION_PAGE_UP: target_output_scroll(view, -lines); break;
	case ACTION_PAGE_DOWN: target_output_scroll(view, lines); break;
	case ACTION_FIRST: go_to(view, 0); break;
	case ACTION_LAST: o->follow = true; break;
	case ACTION_FOLLOW: o->follow = !o->follow; break;
	case ACTION_OUTPUT:
	case ACTION_QUIT: o->shown = false; break;
	default: break;
	}
	view->redraw = true;
}

static void draw_frame(const struct view *view)
{
	const struct target_output *o = &view->output;
	struct pen pen = pen_at(view->term, 0, 0, view->layout.columns);
	char size[UNITS_TEXT_MAX];

	pen_text(&pen, STYLE_TITLE, " Output of the program ");
	pen_printf(&pen, STYLE_PLAIN, " %s  %s", format_bytes(size, sizeof(size), o->size),
		   o->follow ? "to the end" : "");
	if (!o->follow && o->size)
		pen_printf(&pen, STYLE_PLAIN, "at %u%%", (unsigned)(o->top * 100 / o->size));
	pen = pen_at(view->term, view->layout.keys, 0, view->layout.columns);
	pen_clip(&pen, STYLE_BOLD, " Up, Down, PgUp, PgDn, Home, End: move; F: follow; o: back");
}

void target_output_draw(struct view *view)
{
	struct target_output *o = &view->output;
	struct buffer text = BUFFER_INIT;
	size_t done = 0, size;

	o->size = size_now(o);
	if (o->follow || o->top > o->size)
		o->top = lines_before(o, o->size, page(view));
	size = look_at(o, o->top, o->size);
	draw_frame(view);
	for (size_t row = 1; row <= page(view) && done < size; row++) {
		size_t length = line_length(o->window + done, size - done);
		struct pen pen = pen_at(view->term, (int)row, 0, view->layout.columns);

		text.length = 0;
		target_output_plain(&text, o->window + done, length);
		pen_bytes(&pen, STYLE_PLAIN, buffer_text(&text), text.length);
		done += length;
	}
	buffer_release(&text);
}
