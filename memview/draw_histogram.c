/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size histogram in the place of the list: ten buckets with count, bytes and a bar. */
#include <stdio.h>

#include "base/units.h"
#include "memview/draw.h"

enum { LABEL_COLUMNS = 10, COUNT_COLUMNS = 10, BYTES_COLUMNS = 11 };

static void bar(struct pen *pen, uint64_t n, uint64_t most)
{
	int cells = most ? (int)((double)n / (double)most * pen_left(pen) + 0.5) : 0;

	pen_repeat(pen, STYLE_SOURCE, GLYPH_BLOCK, n && !cells ? 1 : cells);
}

static void bucket_row(struct pen *pen, unsigned bucket, uint64_t count, uint64_t bytes, uint64_t most)
{
	unsigned style = count ? STYLE_PLAIN : STYLE_FAINT;
	char text[UNITS_TEXT_MAX];

	pen_field(pen, style, size_bucket_label(bucket), LABEL_COLUMNS, true);
	pen_field(pen, style, format_count(text, sizeof(text), count), COUNT_COLUMNS, true);
	pen_field(pen, style, format_bytes(text, sizeof(text), bytes), BYTES_COLUMNS, true);
	pen_space(pen, style, 2);
	bar(pen, count, most);
}

/* A group's records are looked for in the background: until all are found its figures are too low. */
static void draw_head(struct pen *pen, const struct selection *selection, bool group,
	const struct select_sums *sums)
{
	unsigned permille;
	enum select_work work = select_work(selection, &permille);

	pen_field(pen, STYLE_TITLE, "Size", LABEL_COLUMNS, true);
	pen_field(pen, STYLE_TITLE, "Count", COUNT_COLUMNS, true);
	pen_field(pen, STYLE_TITLE, "Bytes", BYTES_COLUMNS, true);
	pen_printf(pen, STYLE_TITLE, "  %s%s%s", group ? "of this group" : "of all shown", sums->maps ? " +mmap" : "",
		   sums->margin.allocs ? ", estimated" : "");
	if (work == SELECT_READS || work == SELECT_FILTERS)
		pen_printf(pen, STYLE_ALERT, "  counting, %u %%", permille / 10);
}

void draw_histogram(struct view *view)
{
	const struct area *area = &view->layout.pane[PANE_LIST];
	bool group = view->kind == VIEW_SITES && view->group_selection && view->site != HEAP_NONE;
	const struct selection *selection = group ? view->group_selection : view->selection;
	struct select_sums sums;
	struct pen pen = pen_at(view->term, area->row, area->column, area->columns);
	char text[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	uint64_t most = 0;

	select_sums(selection, &sums);
	for (unsigned i = 0; i < SIZE_BUCKETS; i++)
		most = sums.histogram[i].count > most ? sums.histogram[i].count : most;
	draw_head(&pen, selection, group, &sums);
	if (view->histogram_top + (size_t)area->rows > SIZE_BUCKETS + 1)
		view->histogram_top = area->rows > (int)SIZE_BUCKETS ? 0 : SIZE_BUCKETS + 1 - (size_t)area->rows;
	for (unsigned i = (unsigned)view->histogram_top, row = 1; i < SIZE_BUCKETS && (int)row < area->rows; i++) {
		pen = pen_at(view->term, area->row + (int)row++, area->column, area->columns - 1);
		bucket_row(&pen, i, sums.histogram[i].count, sums.histogram[i].bytes, most);
	}
	if (area->rows < (int)SIZE_BUCKETS + 3)
		return;
	pen = pen_at(view->term, area->row + (int)SIZE_BUCKETS + 2, area->column, area->columns);
	pen_field(&pen, STYLE_BOLD, "all", LABEL_COLUMNS, true);
	pen_field(&pen, STYLE_BOLD, format_count(text, sizeof(text), sums.count), COUNT_COLUMNS, true);
	pen_field(&pen, STYLE_BOLD, format_bytes(bytes, sizeof(bytes), sums.bytes), BYTES_COLUMNS, true);
	if (sums.margin.allocs)
		pen_printf(&pen, STYLE_FAINT, "  +-%s, +-%s",
			   format_count(text, sizeof(text), sums.margin.allocs),
			   format_bytes(bytes, sizeof(bytes), sums.margin.alloc_bytes));
}
