/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mouse: which pane, row, column head or key of the key line is meant. */
#include "memview/mouse.h"

#include <string.h>
#include <strings.h>

#include "memview/actions.h"
#include "memview/leave.h"
#include "memview/now.h"
#include "memview/view.h"

#define WHEEL_LINES 3
#define DOUBLE_MS 400

static enum pane pane_at(const struct view *view, int row, int column)
{
	for (int i = 0; i < PANE_COUNT; i++) {
		const struct area *area = &view->layout.pane[i];

		if (row >= area->row && row < area->row + area->rows && column >= area->column &&
		    column < area->column + area->columns)
			return (enum pane)i;
	}
	return PANE_COUNT;
}

static void focus(struct view *view, enum pane pane)
{
	view->focus = pane;
	view->redraw = true;
}

/* Trees are in the order of one cost, the total of call sites is of one: heads that name costs choose. */
static bool head_is_cost(struct view *view, const char *word)
{
	for (enum cost cost = 0; cost < COSTS; cost++) {
		if (strcasecmp(word, cost_name(cost)) != 0)
			continue;
		if (view_kind(view)->cost && cost != view->cost)
			view_cost_to(view, cost);
		else if (view_kind(view)->cost || (view->kind == VIEW_SITES && cost == view->cost && cost != COST_COUNT))
			view_sort_to(view, 0);
		else
			return false;
		return true;
	}
	return false;
}

/* The heads of columns are words on the screen, so a view need not say where they are. */
static void click_head(struct view *view, enum pane pane, int row, int column)
{
	const char *const *names = view_columns(view);
	char word[32];

	if (pane == PANE_DETAIL || (pane == PANE_LIST && view->histogram))
		return;
	term_word(view->term, row, column, word, sizeof(word));
	if (pane == PANE_LIST && head_is_cost(view, word))
		return;
	/* The thread pane is headed by what it lists, which is sorted by name. */
	if (pane == PANE_THREADS && strcmp(word, "Thread") == 0)
		strcpy(word, names[0]);
	for (unsigned i = 0; names[i]; i++) {
		if (strcmp(names[i], word) == 0)
			view_sort_to(view, i);
	}
}

bool mouse_is_second(struct view *view, enum pane pane, size_t row)
{
	uint64_t now = now_ms();
	bool second = view->clicked_pane == pane && view->clicked_row == row && now - view->clicked < DOUBLE_MS;

	view->clicked_pane = pane;
	view->clicked_row = row;
	view->clicked = second ? 0 : now;
	return second;
}

/* To the first allocation from that time on. */
static void click_timeline(struct view *view, int column)
{
	int cell = column - view->strip.column;
	uint64_t ns;

	if (cell < 0 || cell >= view->strip.cells)
		return;
	ns = (uint64_t)((double)view->strip.end_ns * cell / view->strip.cells);
	if (view->kind != VIEW_RECORDS)
		view_set_kind(view, VIEW_RECORDS);
	view->histogram = false;
	view_select_time(view, ns);
}

static void click_row(struct view *view, enum pane pane, size_t row)
{
	if (pane == PANE_DETAIL || (pane == PANE_LIST && view->histogram))
		return;
	if (!view_select(view, pane, row))
		return;
	if (mouse_is_second(view, pane, row))
		view_act(view, ACTION_ENTER);
}

/* A word of the key line stands for its action. */
static void click_key(struct view *view, int row, int column)
{
	int count;
	const struct action_row *rows = actions_table(&count);
	char word[32];
	size_t length;

	if (view->message[0] || input_message(view->input)[0])
		return;
	term_word(view->term, row, column, word, sizeof(word));
	length = strlen(word);
	for (int i = 0; i < count && length; i++) {
		bool first = strncmp(rows[i].keys, word, length) == 0 && strchr(" ", rows[i].keys[length]);

		if (rows[i].brief[0] && rows[i].keys[0] && (first || strcmp(rows[i].brief, word) == 0)) {
			view_act(view, (int)rows[i].action);
			return;
		}
	}
}

static void click(struct view *view, int row, int column)
{
	enum pane pane = pane_at(view, row, column);
	int line;

	if (row == view->layout.keys) {
		click_key(view, row, column);
		return;
	}
	if (row == view->layout.timeline)
		click_timeline(view, column);
	if (pane == PANE_COUNT)
		return;
	focus(view, pane);
	line = row - view->layout.pane[pane].row;
	if (pane == PANE_LIST && !view->histogram && view_kind(view)->click && view_kind(view)->count(view) &&
	    view_kind(view)->click(view, line, column - view->layout.pane[pane].column))
		return;
	if (line == 0)
		click_head(view, pane, row, column);
	else
		click_row(view, pane, (size_t)line - 1);
}

static void wheel(struct view *view, int row, int column, int by)
{
	enum pane pane = pane_at(view, row, column);

	if (pane == PANE_LIST && !view->histogram && view_kind(view)->wheel)
		view_kind(view)->wheel(view, by);
	else if (pane != PANE_COUNT)
		view_scroll(view, pane, by);
}

void mouse_act(struct view *view, const struct term_mouse_event *event)
{
	if (view->layout.too_small || prompt_is_open(&view->prompt) || leave_is_asked(view))
		return;
	if (view->output.shown) {
		if (event->what != TERM_CLICK)
			target_output_scroll(view, event->what == TERM_WHEEL_UP ? -WHEEL_LINES : WHEEL_LINES);
		return;
	}
	if (view->help) {
		for (int i = 0; i < WHEEL_LINES && event->what != TERM_CLICK; i++)
			view_act(view, event->what == TERM_WHEEL_UP ? ACTION_UP : ACTION_DOWN);
		return;
	}
	if (event->what == TERM_CLICK)
		click(view, event->row, event->column);
	else
		wheel(view, event->row, event->column,
		      event->what == TERM_WHEEL_UP ? -WHEEL_LINES : WHEEL_LINES);
}
