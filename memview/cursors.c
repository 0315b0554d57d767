/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving in the panes, and keeping cursors where they belong while rows come and go. */
#include <stdlib.h>

#include "memview/actions.h"
#include "memview/view.h"

/* Rows of a pane that show items: all but its heading. */
static size_t page_of(const struct view *view, enum pane pane)
{
	int rows = view->layout.pane[pane].rows - 1;

	return rows > 1 ? (size_t)rows : 1;
}

/* The window follows the cursor and never shows less than it could. */
static void frame(struct cursor *cursor, size_t count, size_t page)
{
	if (cursor->row >= count)
		cursor->row = count ? count - 1 : 0;
	if (cursor->row < cursor->top)
		cursor->top = cursor->row;
	if (cursor->row >= cursor->top + page)
		cursor->top = cursor->row - page + 1;
	if (cursor->top + page > count)
		cursor->top = count > page ? count - page : 0;
}

static bool newest_is_first(const struct view *view)
{
	return view->order[view->kind].reverse;
}

static bool is_following(const struct view *view)
{
	return view->follow && view->kind == 0 && view->order[0].column == SELECT_BY_TIME && view->ending;
}

/* What comes last is followed, too, until all of it is there. */
static void watch_end(struct view *view)
{
	if (view_is_live(view))
		view->ending = true;
	else if (!input_is_live(view->input) && !view->loading && !view->busy && select_has_all(view->selection))
		view->ending = false;
}

/* The cursor's row after rows came and went.  Returns whether it stands where it should. */
static bool find_row(struct view *view, struct cursor *cursor, size_t count)
{
	const struct view_kind *kind = view_kind(view);
	size_t row, from_top = cursor->row - cursor->top;

	if (!kind->holds || (cursor->row < count && kind->holds(view, cursor->row)))
		return true;
	row = kind->find(view);
	/* Its row may still come in, so it is not given up before all is there. */
	if (row == SIZE_MAX && kind->is_set(view) && !select_has_all(view->selection))
		return false;
	if (row == SIZE_MAX && kind->near)
		row = kind->near(view);
	if (row != SIZE_MAX) {
		/* Rows that came in above must not shift the picture. */
		cursor->row = row;
		cursor->top = row > from_top ? row - from_top : 0;
	}
	return true;
}

/* The list's cursor: on the newest record, or where its record went to. */
static void settle_list(struct view *view)
{
	const struct view_kind *kind = view_kind(view);
	struct cursor *cursor = &view->list[view->kind];
	size_t count = kind->count(view);
	bool there = true;

	if (is_following(view) && count)
		cursor->row = newest_is_first(view) ? 0 : count - 1;
	else
		there = find_row(view, cursor, count);
	watch_end(view);
	frame(cursor, count, page_of(view, PANE_LIST));
	if (count && there && kind->keep)
		kind->keep(view, cursor->row);
}

static void settle_threads(struct view *view)
{
	size_t count, at;
	uint32_t *order = view_thread_order(view, &count);

	for (at = 0; at < count && order[at] != view->thread; at++)
		;
	if (at < count)
		view->threads.row = at;
	frame(&view->threads, count, page_of(view, PANE_THREADS));
	view->thread = count ? order[view->threads.row] : HEAP_NONE;
	free(order);
}

void view_settle_cursors(struct view *view)
{
	settle_list(view);
	settle_threads(view);
}

/* The row where a movement from row leads, among count. */
static size_t target(size_t row, size_t count, size_t page, int action)
{
	size_t last = count ? count - 1 : 0;

	switch (action) {
	case ACTION_UP: return row ? row - 1 : 0;
	case ACTION_DOWN: return row < last ? row + 1 : last;
	case ACTION_PAGE_UP: return row > page ? row - page : 0;
	case ACTION_PAGE_DOWN: return row + page < last ? row + page : last;
	case ACTION_FIRST: return 0;
	default: return last;
	}
}

/* Whoever moves in the list of a live trace wants to stay there. */
static void end_following(struct view *view)
{
	view->ending = false;
	if (view->follow && view_is_live(view) && view->kind == 0) {
		view->follow = false;
		view_say(view, false, "follow is off: F turns it on again");
	}
}

static void move_list(struct view *view, int action)
{
	const struct view_kind *kind = view_kind(view);
	struct cursor *cursor = &view->list[view->kind];
	size_t count = kind->count(view), page = page_of(view, PANE_LIST);
	size_t row = target(cursor->row, count, page, action);

	if (!count)
		return;
	if (row != cursor->row)
		end_following(view);
	cursor->row = row;
	frame(cursor, count, page);
	if (kind->keep)
		kind->keep(view, row);
	view->detail_top = 0;
}

static void move_detail(struct view *view, int action)
{
	size_t lines = view->detail.lines.count, page = page_of(view, PANE_DETAIL);
	size_t last = lines > page ? lines - page : 0;

	view->detail_top = target(view->detail_top, last + 1, page, action);
}

static void move_threads(struct view *view, int action)
{
	size_t count;
	uint32_t *order = view_thread_order(view, &count);

	if (count) {
		view->threads.row = target(view->threads.row, count, page_of(view, PANE_THREADS), action);
		view->thread = order[view->threads.row];
	}
	free(order);
}

static void move_histogram(struct view *view, int action)
{
	size_t page = page_of(view, PANE_LIST), last = SIZE_BUCKETS > page ? SIZE_BUCKETS - page : 0;
	size_t before = view->histogram_top;

	view->histogram_top = target(before, last + 1, page, action);
	if (view->histogram_top == before)
		view_say(view, false, "the histogram is in the place of the list: H shows the list again");
}

void view_move(struct view *view, int action)
{
	/* In the group view the histogram follows the selected group. */
	if (view->focus == PANE_LIST && view->histogram && view->kind != VIEW_SITES)
		move_histogram(view, action);
	else if (view->focus == PANE_DETAIL)
		move_detail(view, action);
	else if (view->focus == PANE_THREADS)
		move_threads(view, action);
	else
		move_list(view, action);
	view->redraw = true;
}

/* The window moves, and takes the cursor along only when it would leave it. */
static void scroll(struct cursor *cursor, size_t count, size_t page, int by)
{
	size_t last = count > page ? count - page : 0, up = by < 0 ? (size_t)-by : 0;

	cursor->top = up ? (cursor->top > up ? cursor->top - up : 0) :
		      cursor->top + (size_t)by < last ? cursor->top + (size_t)by : last;
	if (cursor->row < cursor->top)
		cursor->row = cursor->top;
	if (cursor->row >= cursor->top + page)
		cursor->row = cursor->top + page - 1;
	frame(cursor, count, page);
}

static void list_moved(struct view *view, const struct cursor *before)
{
	const struct cursor *cursor = &view->list[view->kind];

	if (cursor->top != before->top || cursor->row != before->row)
		end_following(view);
	if (cursor->row == before->row)
		return;
	if (view_kind(view)->keep)
		view_kind(view)->keep(view, cursor->row);
	view->detail_top = 0;
}

static void scroll_list(struct view *view, int by)
{
	struct cursor *cursor = &view->list[view->kind], before = *cursor;
	size_t count = view_kind(view)->count(view);

	if (!count)
		return;
	scroll(cursor, count, page_of(view, PANE_LIST), by);
	list_moved(view, &before);
}

static void scroll_threads(struct view *view, int by)
{
	size_t count;
	uint32_t *order = view_thread_order(view, &count);

	scroll(&view->threads, count, page_of(view, PANE_THREADS), by);
	if (count)
		view->thread = order[view->threads.row];
	free(order);
}

void view_scroll(struct view *view, enum pane pane, int by)
{
	for (int i = 0; i < abs(by) && pane == PANE_DETAIL; i++)
		move_detail(view, by < 0 ? ACTION_UP : ACTION_DOWN);
	for (int i = 0; i < abs(by) && pane == PANE_LIST && view->histogram; i++)
		move_histogram(view, by < 0 ? ACTION_UP : ACTION_DOWN);
	if (pane == PANE_LIST && !view->histogram)
		scroll_list(view, by);
	if (pane == PANE_THREADS)
		scroll_threads(view, by);
	view->redraw = true;
}

static bool pick_row(struct view *view, size_t line)
{
	struct cursor *cursor = &view->list[view->kind], before = *cursor;

	if (cursor->top + line >= view_kind(view)->count(view))
		return false;
	cursor->row = cursor->top + line;
	list_moved(view, &before);
	return true;
}

void view_select_time(struct view *view, uint64_t ns)
{
	struct cursor *cursor = &view->list[VIEW_RECORDS];
	size_t count = select_count(view->selection), at = select_find_time(view->selection, ns);

	if (at == SIZE_MAX) {
		view_say(view, false, "the list is not in the order of time: 1 sorts it so");
		return;
	}
	if (!count)
		return;
	end_following(view);
	cursor->row = at < count ? at : count - 1;
	frame(cursor, count, page_of(view, PANE_LIST));
	view_kind(view)->keep(view, cursor->row);
	view->detail_top = 0;
	view->redraw = true;
}

static bool pick_thread(struct view *view, size_t line)
{
	size_t count, row = view->threads.top + line;
	uint32_t *order = view_thread_order(view, &count);

	if (row < count) {
		view->threads.row = row;
		view->thread = order[row];
	}
	free(order);
	return row < count;
}

bool view_select(struct view *view, enum pane pane, size_t line)
{
	view->redraw = true;
	return pane == PANE_LIST ? pick_row(view, line) : pane == PANE_THREADS && pick_thread(view, line);
}
