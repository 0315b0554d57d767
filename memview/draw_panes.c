/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list, detail and thread panes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "memview/draw.h"

static struct pen pane_pen(const struct view *view, enum pane pane, int row)
{
	const struct area *area = &view->layout.pane[pane];

	return pen_at(view->term, area->row + row, area->column, area->columns);
}

/* Why there is nothing, so that an empty list explains itself. */
static void draw_empty(const struct view *view)
{
	struct pen pen = pane_pen(view, PANE_LIST, 2);
	struct heap_totals blocks, pages;
	const char *text = view->kind == VIEW_FINDINGS ? "no findings pass the filters (f a / t m R)" :
			   "no allocations pass the filters (f a / t m R)";

	heap_totals(view->heap, HEAP_BLOCKS, &blocks);
	heap_totals(view->heap, HEAP_PAGES, &pages);
	if (blocks.allocs + pages.allocs == 0)
		text = view->loading ? "loading ..." : view_is_live(view) ?
		       "no allocations yet" : "no allocations in this trace";
	else if (!select_has_all(view->selection))
		text = "looking ...";
	else if (view_kind(view)->cost && select_count(view->selection))
		text = "nothing shown has any of this cost (c: the next one)";
	else if (view->kind != VIEW_FINDINGS && view->filter.state == SELECT_LEAKS && !blocks.leaked && !pages.leaked)
		text = view_is_live(view) ? "no leaks so far" : connection_is_cut(view) ?
		       "no end was seen, so nothing is called leaked (f: active)" : blocks.runtime + pages.runtime ?
		       "no leaks: what is left is the runtime's own [R]" :
		       "no leaks: all that was allocated was freed";
	pen_space(&pen, STYLE_PLAIN, 2);
	pen_clip(&pen, STYLE_FAINT, text);
}

void draw_list(struct view *view)
{
	const struct view_kind *kind = view_kind(view);
	const struct area *area = &view->layout.pane[PANE_LIST];
	const struct cursor *cursor = &view->list[view->kind];
	size_t count = kind->count(view);
	struct pen pen = pane_pen(view, PANE_LIST, 0);

	if (kind->draw && count) {
		kind->draw(view);
		return;
	}
	if (kind->head)
		kind->head(view, &pen);
	if (!count)
		draw_empty(view);
	for (int i = 1; i < area->rows && cursor->top + (size_t)i - 1 < count; i++) {
		size_t row = cursor->top + (size_t)i - 1;

		pen = pane_pen(view, PANE_LIST, i);
		kind->row(view, &pen, row, row == cursor->row ? draw_cursor_style(view, PANE_LIST) : 0);
	}
}

static void detail_build(struct view *view)
{
	detail_clear(&view->detail);
	view->detail.columns = view->layout.pane[PANE_DETAIL].columns;
	if (view_kind(view)->count(view))
		view_kind(view)->detail(view, &view->detail);
}

static void detail_head(const struct view *view, size_t page)
{
	struct pen pen = pane_pen(view, PANE_DETAIL, 0);
	size_t lines = view->detail.lines.count;

	pen_text(&pen, view->focus == PANE_DETAIL ? STYLE_TITLE | STYLE_SELECTED : STYLE_TITLE, "Detail");
	if (lines > page)
		pen_printf(&pen, STYLE_FAINT, "  %zu-%zu of %zu", view->detail_top + 1,
			   view->detail_top + page < lines ? view->detail_top + page : lines, lines);
}

void draw_detail(struct view *view)
{
	const struct area *area = &view->layout.pane[PANE_DETAIL];
	size_t page = (size_t)area->rows - 1, lines;

	detail_build(view);
	lines = view->detail.lines.count;
	if (view->detail_top + page > lines)
		view->detail_top = lines > page ? lines - page : 0;
	detail_head(view, page);
	for (size_t i = 0; i < page && view->detail_top + i < lines; i++) {
		struct pen pen = pane_pen(view, PANE_DETAIL, (int)i + 1);

		detail_draw(&view->detail, &pen, view->detail_top + i);
	}
}

/* The thread table: at 60 columns everything gives way a little.  Amounts are of heap blocks; what a thread
 * mapped itself has a column of its own, in traces with such where there is room. */
enum { AMOUNT_COLUMNS = 12, NAME_COLUMNS_MAX = 32, TIGHT = 76, TIGHT_MMAP = 100 };

static bool has_mmap(const struct view *view)
{
	return view->layout.columns >= TIGHT && heap_has_pages(view->heap);
}

static bool is_tight(const struct view *view)
{
	return view->layout.columns < (has_mmap(view) ? TIGHT_MMAP : TIGHT);
}

static int amount_columns(const struct view *view)
{
	return is_tight(view) ? AMOUNT_COLUMNS - 2 : AMOUNT_COLUMNS;
}

static int tid_columns(const struct view *view)
{
	return is_tight(view) ? 7 : 9;
}

static int name_columns(const struct view *view)
{
	int amounts = has_mmap(view) ? 4 : 3;
	int left = view->layout.columns - 1 - tid_columns(view) - amounts * amount_columns(view) - 22;

	return left < 8 ? 8 : left > NAME_COLUMNS_MAX ? NAME_COLUMNS_MAX : left;
}

static void threads_head(const struct view *view)
{
	struct pen pen = pane_pen(view, PANE_THREADS, 0);
	unsigned style = view->focus == PANE_THREADS ? STYLE_TITLE | STYLE_SELECTED : STYLE_TITLE;

	pen_text(&pen, style, "Thread");
	pen_space(&pen, STYLE_TITLE, name_columns(view) - 5);
	pen_field(&pen, STYLE_TITLE, "TID", tid_columns(view), false);
	pen_field(&pen, STYLE_TITLE, "Allocated", amount_columns(view), true);
	pen_field(&pen, STYLE_TITLE, "Freed", amount_columns(view), true);
	pen_field(&pen, STYLE_TITLE, "Net", amount_columns(view), true);
	if (has_mmap(view))
		pen_field(&pen, STYLE_TITLE, "Mmap", amount_columns(view), true);
	pen_text(&pen, STYLE_TITLE, "  Leaks");
}

static void leaks_field(const struct view *view, struct pen *pen, unsigned style, const struct heap_thread *t)
{
	char count[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX], mapped[UNITS_TEXT_MAX + 8];
	const char *about = t->margin.leaked ? "~" : "";

	format_count(count, sizeof(count), t->leaked);
	format_bytes(bytes, sizeof(bytes), t->leaked_bytes);
	if (!t->leaked)
		pen_text(pen, style, count);
	else if (view->layout.columns < TIGHT)
		pen_printf(pen, STYLE_LEAK | (style & ~(unsigned)STYLE_MASK), "%s%s %s", about, count, bytes);
	else
		pen_printf(pen, STYLE_LEAK | (style & ~(unsigned)STYLE_MASK), "%s%s (%s)", about, count, bytes);
	snprintf(mapped, sizeof(mapped), " +%s mmap", format_count(count, sizeof(count), t->leaked_maps));
	if (t->leaked_maps && (int)strlen(mapped) <= pen_left(pen))
		pen_text(pen, STYLE_LEAK | (style & ~(unsigned)STYLE_MASK), mapped);
}

/* ~ stands before the estimates of a sampled trace. */
static void amount_field(struct pen *pen, unsigned style, uint64_t bytes, uint64_t margin, int columns)
{
	char text[UNITS_TEXT_MAX], about[UNITS_TEXT_MAX + 1];

	snprintf(about, sizeof(about), "%s%s", margin ? "~" : "", format_bytes(text, sizeof(text), bytes));
	pen_field(pen, style, about, columns, true);
}

static void thread_row(const struct view *view, struct pen *pen, uint32_t thread, unsigned extra)
{
	unsigned style = (thread == view->filter.thread ? STYLE_KEY : STYLE_PLAIN) | extra;
	int amount = amount_columns(view);
	char text[UNITS_TEXT_MAX];
	struct heap_thread t;

	thread_get(view->heap, thread, &t);
	pen_field(pen, style, view_thread_name(view, thread, text, sizeof(text)), name_columns(view), false);
	pen_space(pen, style, 1);
	snprintf(text, sizeof(text), "%u", t.tid);
	pen_field(pen, style, text, tid_columns(view), false);
	amount_field(pen, style, t.alloc_bytes, t.margin.alloc_bytes, amount);
	amount_field(pen, style, t.freed_bytes + t.gone_bytes, t.margin.freed_bytes, amount);
	amount_field(pen, style, t.live_bytes, t.margin.live_bytes, amount);
	if (has_mmap(view))
		amount_field(pen, style, t.map_bytes, 0, amount);
	pen_space(pen, style, 2);
	leaks_field(view, pen, style, &t);
	pen_fill(pen, style);
}

void draw_threads(struct view *view)
{
	const struct area *area = &view->layout.pane[PANE_THREADS];
	size_t count;
	uint32_t *order = view_thread_order(view, &count);

	threads_head(view);
	for (int i = 1; i < area->rows && view->threads.top + (size_t)i - 1 < count; i++) {
		size_t row = view->threads.top + (size_t)i - 1;
		struct pen pen = pane_pen(view, PANE_THREADS, i);
		bool here = row == view->threads.row && view->focus == PANE_THREADS;

		thread_row(view, &pen, order[row], here ? STYLE_SELECTED : 0);
	}
	free(order);
}
