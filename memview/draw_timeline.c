/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sparkline: a cell per stretch of time, as high as the most that was live in it, with the marks on top. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "memview/draw.h"

#define SCALE_COLUMNS 23

struct strip {
	struct term *term;
	int row, column, cells;
	uint64_t end_ns;
};

static void mark(const struct strip *strip, unsigned style, uint64_t ns, char what)
{
	int cell = strip->end_ns ? (int)((double)ns / (double)strip->end_ns * strip->cells) : 0;
	struct pen pen;

	if (cell >= strip->cells)
		cell = strip->cells - 1;
	pen = pen_at(strip->term, strip->row, strip->column + cell, 1);
	pen_printf(&pen, style, "%c", what);
}

static void draw_marks(const struct view *view, const struct strip *strip)
{
	if (view->filter.delta)
		mark(strip, STYLE_BASE, view->filter.delta_ns, '|');
	if (view->range_from)
		mark(strip, STYLE_MARKER, view->filter.range_from_ns, '[');
	if (view->range_to)
		mark(strip, STYLE_MARKER, view->filter.range_to_ns, ']');
	for (int i = 0; i < MARKERS_MAX; i++) {
		if (view->markers.set[i])
			mark(strip, STYLE_MARKER, view->markers.ns[i], (char)('1' + i));
	}
}

static void draw_cells(const struct strip *strip, const struct timeline_cell *cells, uint64_t high)
{
	struct pen pen = pen_at(strip->term, strip->row, strip->column, strip->cells);

	for (int i = 0; i < strip->cells; i++) {
		const struct timeline_cell *cell = &cells[i];
		unsigned style = cell->freed_bytes > cell->alloc_bytes ? STYLE_MIDDLE : STYLE_YOUNG;
		double part = high ? (double)cell->high_bytes / (double)high : 0;
		int level = (int)(part * PEN_LEVELS + 0.5);

		/* The base line shows that time passed, and that something is there at all. */
		pen_level(&pen, cell->high_bytes ? style : STYLE_RULE, level < 1 ? 1 : level);
	}
}

static uint64_t highest(const struct timeline_cell *cells, int count)
{
	uint64_t high = 0;

	for (int i = 0; i < count; i++) {
		if (cells[i].high_bytes > high)
			high = cells[i].high_bytes;
	}
	return high;
}

/* " worker-1 ", "" for the whole heap. */
static void label(const struct view *view, struct pen *pen)
{
	char name[UNITS_TEXT_MAX];

	if (view->filter.thread != HEAP_NONE) {
		pen_field(pen, STYLE_KEY, view_thread_name(view, view->filter.thread, name, sizeof(name)),
			  15, false);
		pen_space(pen, STYLE_PLAIN, 1);
	}
	if (view->kind == VIEW_SITES && view->site != HEAP_NONE)
		pen_text(pen, STYLE_KEY, "group ");
}

/* Behind the scale, when mappings are in it. */
static const char *with_mmap(const struct view *view)
{
	struct heap_thread thread;
	struct heap_site site;

	if (!heap_has_pages(view->heap))
		return "";
	if (view->timeline && view->timeline_site != HEAP_NONE) {
		site_get(view->heap, view->timeline_site, &site);
		return site.class == HEAP_PAGES ? " mmap" : "";
	}
	if (view->timeline) {
		thread_get(view->heap, view->timeline_thread, &thread);
		return thread.maps ? " +mmap" : "";
	}
	return " +mmap";
}

void draw_timeline(struct view *view)
{
	struct pen pen = pen_at(view->term, view->layout.timeline, 0, view->layout.columns);
	struct heap_status status;
	struct strip strip;
	struct timeline_cell *cells;
	const char *mmap = with_mmap(view);
	int scale_columns = SCALE_COLUMNS + (int)strlen(mmap);
	char text[64], scale[UNITS_TEXT_MAX], end[UNITS_TEXT_MAX];

	heap_status(view->heap, &status);
	pen_space(&pen, STYLE_PLAIN, 1);
	label(view, &pen);
	strip = (struct strip){ view->term, pen.row, pen.column, pen_left(&pen) - scale_columns - 1, status.now_ns };
	view->strip.column = strip.column;
	view->strip.cells = strip.cells;
	view->strip.end_ns = strip.end_ns;
	cells = xcalloc((size_t)strip.cells + 1, sizeof(*cells));
	if (view->timeline)
		timeline_cells(view->timeline, cells, (size_t)strip.cells);
	else
		timeline_heap(view->heap, cells, (size_t)strip.cells);
	draw_cells(&strip, cells, highest(cells, strip.cells));
	draw_marks(view, &strip);
	snprintf(text, sizeof(text), "%s  max %s%s", format_duration(end, sizeof(end), status.now_ns),
		 format_bytes(scale, sizeof(scale), highest(cells, strip.cells)), mmap);
	pen = pen_at(view->term, pen.row, strip.column + strip.cells + 1, scale_columns);
	pen_text(&pen, STYLE_FAINT, text);
	free(cells);
}
