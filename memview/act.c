/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each key does: from the action table to changes of the view. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "memview/actions.h"
#include "memview/cancel.h"
#include "memview/leave.h"
#include "memview/mouse.h"
#include "memview/now.h"
#include "memview/select_time.h"
#include "memview/view.h"
#include "model/findings.h"

static void focus(struct view *view, int by)
{
	view->focus = (enum pane)(((int)view->focus + by + PANE_COUNT) % PANE_COUNT);
	view->redraw = true;
}

static void filter_next(struct view *view)
{
	view->filter.state = view->filter.state == SELECT_FREED ? SELECT_ALL :
			     (enum select_state)(view->filter.state + 1);
	view_filter(view);
}

static void go_on_top(struct view *view)
{
	view->list[view->kind] = (struct cursor){ 0, 0 };
	if (view->kind == VIEW_RECORDS)
		view->record = HEAP_NONE;
	else if (view->kind == VIEW_SITES)
		view->site = HEAP_NONE;
}

/* Findings and the summary have one order only. */
static bool has_one_order(struct view *view)
{
	bool findings = view->kind == VIEW_FINDINGS;
	bool one = (findings || view->kind == VIEW_SUMMARY) && view->focus != PANE_THREADS;

	if (one)
		view_say(view, false, findings ? "findings stand in the order of time" : "a summary has no order");
	return one;
}

static void sort_next(struct view *view)
{
	const struct view_kind *kind = view_kind(view);
	struct view_order *order = &view->order[view->kind];

	if (has_one_order(view))
		return;

	if (view->focus == PANE_THREADS) {
		view->thread_order.column = (view->thread_order.column + 1) % THREAD_COLUMNS;
		view->redraw = true;
		return;
	}
	if (kind->cost) {
		view_cost_next(view);
		return;
	}
	order->column++;
	if (!kind->columns[order->column])
		order->column = 0;
	order->reverse = false;
	go_on_top(view);
	view_sort(view);
}

static struct view_order *order_of(struct view *view)
{
	return view->focus == PANE_THREADS ? &view->thread_order : &view->order[view->kind];
}

/* The thread pane is sorted when it is drawn. */
static void reordered(struct view *view)
{
	view->redraw = true;
	if (view->focus == PANE_THREADS)
		return;
	go_on_top(view);
	view_sort(view);
}

static void sort_reverse(struct view *view)
{
	struct view_order *order = order_of(view);

	if (has_one_order(view))
		return;
	order->reverse = !order->reverse;
	reordered(view);
}

const char *const *view_columns(const struct view *view)
{
	static const char *const threads[] = { "Name", "TID", "Allocated", "Freed", "Net", "Leaks", NULL };

	return view->focus == PANE_THREADS ? threads : view_kind(view)->columns;
}

void view_sort_to(struct view *view, unsigned column)
{
	struct view_order *order = order_of(view);

	if (has_one_order(view))
		return;
	*order = (struct view_order){ column, order->column == column && !order->reverse };
	reordered(view);
}

static void sort_by(struct view *view, enum select_column column)
{
	if (view->kind != 0)
		view_set_kind(view, 0);
	view->order[0] = (struct view_order){ column, false };
	go_on_top(view);
	view_sort(view);
}

/* The thread filter goes through "all" and the threads as the thread pane lists them. */
static void thread_step(struct view *view, int by)
{
	size_t count, at = 0;
	uint32_t *order = view_thread_order(view, &count);

	while (at < count && order[at] != view->filter.thread)
		at++;
	/* Position 0 is "all", thread i is i + 1. */
	at = view->filter.thread == HEAP_NONE || at == count ? 0 : at + 1;
	at = (at + (by > 0 ? 1 : count)) % (count + 1);
	view->filter.thread = at ? order[at - 1] : HEAP_NONE;
	if (at)
		view->thread = view->filter.thread;
	free(order);
	view_filter(view);
}

void view_pick_thread(struct view *view)
{
	view->filter.thread = view->filter.thread == view->thread ? HEAP_NONE : view->thread;
	view_filter(view);
}

static void ask(struct view *view, enum question question, const char *text, const char *initial)
{
	view->question = question;
	prompt_ask(&view->prompt, text, initial);
	view->redraw = true;
}

static void ask_age(struct view *view)
{
	char now[32] = "";

	if (view->age > 0)
		snprintf(now, sizeof(now), "%g", view->age);
	ask(view, ASK_AGE, "Minimum lifetime in seconds (0: off):", now);
}

static void enter(struct view *view)
{
	if (view->focus == PANE_THREADS) {
		view_pick_thread(view);
		return;
	}
	if (!view_kind(view)->count(view)) {
		view_say(view, false, "nothing is selected");
		return;
	}
	view->histogram = false;
	view_kind(view)->enter(view);
}

static void toggle(struct view *view, bool *what, const char *name)
{
	*what = !*what;
	if (name)
		view_say(view, false, "%s %s", name, *what ? "on" : "off");
	view->redraw = true;
}

static void toggle_follow(struct view *view)
{
	if (view_is_live(view))
		toggle(view, &view->follow, "follow");
	else
		view_say(view, false, "there is nothing to follow: the trace is complete");
}

static void toggle_mouse(struct view *view)
{
	bool on = !term_mouse_is_on(view->term);

	if (!term_mouse(view->term, on))
		view_say(view, false, "this terminal tells nothing of a mouse");
	else
		view_say(view, false, on ? "mouse on" : "mouse off: the terminal can select text");
}

static void step_kind(struct view *view, unsigned by)
{
	unsigned next = (view->kind + by) % VIEW_KINDS;

	if (next == VIEW_FINDINGS && !finding_count(view->heap))
		next = (next + by) % VIEW_KINDS;
	view_set_kind(view, next);
	view_say(view, false, "view: %s", view_kind(view)->name);
}

/* What is done to a row, or to the order of rows, shows in the list only. */
static bool is_about_rows(const struct view *view, enum action action)
{
	switch (action) {
	case ACTION_DELTA:
	case ACTION_MARK:
	case ACTION_UNMARK:
	case ACTION_RANGE_FROM:
	case ACTION_RANGE_TO:
	case ACTION_BY_TIME:
	case ACTION_BY_SIZE:
	case ACTION_BY_THREAD: return true;
	case ACTION_SORT:
	case ACTION_REVERSE: return view->focus != PANE_THREADS;
	default: return false;
	}
}

/* Keys of trees where there is none. */
static void no_tree(struct view *view, enum action action)
{
	view_say(view, false, action == ACTION_COLOURS ? "the colours are those of the flame graph (v)" :
		 "that is for the call tree, callers, modules and the flame graph (v)");
}

static void act_more(struct view *view, enum action action)
{
	switch (action) {
	case ACTION_DELTA: select_time_delta(view); break;
	case ACTION_MARK: select_time_mark(view); break;
	case ACTION_UNMARK: select_time_unmark(view); break;
	case ACTION_RANGE_FROM: select_time_from(view); break;
	case ACTION_RANGE_TO: select_time_to(view); break;
	case ACTION_RANGE_CLEAR: select_time_clear(view); break;
	case ACTION_HISTOGRAM: toggle(view, &view->histogram, NULL); break;
	case ACTION_COST: view_cost_next(view); break;
	case ACTION_FOLD_TOGGLE:
	case ACTION_UNFOLD:
	case ACTION_FOLD:
	case ACTION_UNFOLD_ALL:
	case ACTION_ZOOM_OUT:
	case ACTION_COLOURS: no_tree(view, action); break;
	case ACTION_VIEW: step_kind(view, 1); break;
	case ACTION_VIEW_PREV: step_kind(view, VIEW_KINDS - 1); break;
	case ACTION_EXPORT: ask(view, ASK_EXPORT, "Write the visible rows to file:", NULL); break;
	case ACTION_TIMELINE: toggle(view, &view->show_timeline, NULL); break;
	case ACTION_LINES: toggle(view, &view->lines, "source lines"); break;
	case ACTION_MOUSE: toggle_mouse(view); break;
	case ACTION_FOLLOW: toggle_follow(view); break;
	case ACTION_PROCESS: view_session_step(view, 1); break;
	case ACTION_PROCESS_PREV: view_session_step(view, -1); break;
	case ACTION_HELP: toggle(view, &view->help, NULL); view->help_top = 0; break;
	case ACTION_OUTPUT: target_output_show(view); break;
	case ACTION_RECONNECT: connection_retry(view); break;
	case ACTION_PAUSE: commands_pause(view); break;
	case ACTION_NAME_MARK: commands_ask_name(view); break;
	case ACTION_SNAPSHOT: commands_snapshot(view); break;
	case ACTION_QUIT: leave(view); break;
	default: break;
	}
}

/* key: what was pressed for it, KEYS_NONE when that was the mouse. */
static void do_act(struct view *view, enum action action, int key)
{
	if (ahead_keep(view, (int)action, key))
		return;
	if (is_about_rows(view, action))
		view->histogram = false;
	if (view->focus == PANE_LIST && !view->histogram && view_kind(view)->key && view_kind(view)->key(view, action, key))
		return;
	switch (action) {
	case ACTION_UP:
	case ACTION_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_FIRST:
	case ACTION_LAST: view_move(view, action); break;
	case ACTION_FOCUS_NEXT: focus(view, 1); break;
	case ACTION_FOCUS_PREV: focus(view, -1); break;
	case ACTION_FILTER: filter_next(view); break;
	case ACTION_GROUP: view_set_kind(view, view->kind == 1 ? 0 : 1); break;
	case ACTION_ENTER: enter(view); break;
	case ACTION_SEARCH: ask(view, ASK_SEARCH, "Search:", view->search); break;
	case ACTION_SORT: sort_next(view); break;
	case ACTION_REVERSE: sort_reverse(view); break;
	case ACTION_BY_TIME: sort_by(view, SELECT_BY_TIME); break;
	case ACTION_BY_SIZE: sort_by(view, SELECT_BY_SIZE); break;
	case ACTION_BY_THREAD: sort_by(view, SELECT_BY_THREAD); break;
	case ACTION_THREAD: thread_step(view, 1); break;
	case ACTION_THREAD_PREV: thread_step(view, -1); break;
	case ACTION_AGE: ask_age(view); break;
	default: act_more(view, action); break;
	}
}

/* The help covers everything: it scrolls, and any other key closes it. */
static void help_key(struct view *view, enum action action)
{
	int page = view->layout.rows - 3;

	if (action == ACTION_DOWN || action == ACTION_PAGE_DOWN)
		view->help_top += action == ACTION_DOWN ? 1 : (size_t)page;
	else if (action == ACTION_UP || action == ACTION_PAGE_UP)
		view->help_top -= action == ACTION_UP ? (view->help_top > 0) :
				  view->help_top < (size_t)page ? view->help_top : (size_t)page;
	else
		view->help = false;
	view->redraw = true;
}

static void prompt_step(struct view *view, int key)
{
	enum prompt_outcome outcome = prompt_key(&view->prompt, key);

	view->redraw = true;
	if (outcome == PROMPT_GOES_ON)
		return;
	prompt_close(&view->prompt);
	if (outcome == PROMPT_DONE)
		view_answer(view);
	else
		view->question = ASK_NOTHING;
}

static void act(struct view *view, enum action action, int key)
{
	if (view->message[0])
		view->redraw = true;
	view->message[0] = 0;
	if (view->output.shown)
		target_output_act(view, (int)action);
	else if (view->help && action != ACTION_REDRAW)
		help_key(view, action);
	else
		do_act(view, action, key);
}

void view_do(struct view *view, int action, int key)
{
	do_act(view, (enum action)action, key);
}

void view_act(struct view *view, int action)
{
	act(view, (enum action)action, KEYS_NONE);
}

void view_key(struct view *view, int key)
{
	view->moved = now_ms();
	if (key == KEYS_MOUSE) {
		mouse_act(view, term_mouse_event(view->term));
		return;
	}
	if (leave_is_asked(view)) {
		leave_key(view, key);
		return;
	}
	if (prompt_is_open(&view->prompt)) {
		prompt_step(view, key);
		return;
	}
	if (key == KEYS_ESCAPE && !view->help && cancel_work(view))
		return;
	act(view, actions_find(key), key);
}
