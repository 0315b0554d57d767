/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The viewer's state: made, restarted, kept up to date in slices. */
#include "memview/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memview/cancel.h"
#include "memview/now.h"

#define STEP_RECORDS 20000	/* work between two looks at the clock */
#define STEP_SITES 5000
#define STEP_MS 15
#define RECORDS_MEMORY ((size_t)480 << 20) /* of records and lists of them; the rest is in a file */
#define REST_MS 150		/* without keys before the costly parts of the detail are made */
#define SCAN_AGAIN_MS 1000	/* between two scans for the same group of a trace that grows */

static const struct view_kind *const kinds[VIEW_KINDS] = {
	[VIEW_RECORDS] = &view_records, [VIEW_SITES] = &view_sites, [VIEW_TREE] = &view_tree,
	[VIEW_CALLERS] = &view_callers, [VIEW_FLAME] = &view_flame, [VIEW_THREADS] = &view_threads,
	[VIEW_MODULES] = &view_modules, [VIEW_FINDINGS] = &view_findings, [VIEW_SUMMARY] = &view_summary,
};

const struct view_kind *view_kind(const struct view *view)
{
	return kinds[view->kind];
}

static void look_start(struct view *view, struct heap *heap)
{
	view->heap = heap;
	view->selection = select_new(view->heap);
	view->timeline_thread = view->timeline_site = HEAP_NONE;
	view->record = view->site = view->thread = view->free_sites_of = view->finding = HEAP_NONE;
	view->thread_total_of = HEAP_NONE;
	view->filter.thread = view->filter.site = HEAP_NONE;
	view->notes = 0;
	select_cost(view->selection, view->cost);
	view_sort(view);
	view_filter(view);
}

static void scan_stop(struct view *view)
{
	scan_free(view->scan);
	view->scan = NULL;
}

static void look_stop(struct view *view)
{
	scan_stop(view);
	cancel_forget(view);
	timeline_free(view->timeline);
	view->timeline = NULL;
	if (view->group_selection)
		select_free(view->group_selection);
	view->group_selection = NULL;
	trees_release(view);
	thread_rows_release(&view->thread_rows);
	summary_release(&view->summary);
	vector_release(&view->finding_rows.findings);
	view->finding_rows.made = false;
	select_free(view->selection);
}

static void heap_start(struct view *view)
{
	view->root = heap_new(&view->heap_options);
	view->session = 0;
	view->settled = 0;
	view->loading = true;
	view->loading_since = now_ms();
	look_start(view, view->root);
}

static void heap_stop(struct view *view)
{
	look_stop(view);
	heap_free(view->root);
}

static void look_forget(struct view *view)
{
	memset(&view->markers, 0, sizeof(view->markers));
	view->commands.markers = 0;
	memset(view->list, 0, sizeof(view->list));
	view->range_from = view->range_to = view->filter.range = view->filter.delta = false;
}

void view_show_heap(struct view *view, struct heap *heap)
{
	export_file_close(&view->export);
	look_stop(view);
	look_forget(view);
	view->threads = (struct cursor){ 0, 0 };
	look_start(view, heap);
	if (view->kind == VIEW_FINDINGS && !view_kind(view)->count(view))
		view->kind = 0;
	select_groups(view->selection, view_kind(view)->groups);
}

/* For the model, which asks in the middle of what takes long. */
static bool slice_is_over(void *of)
{
	const struct view *view = of;

	return now_ms() >= view->slice_until || term_waits(view->term);
}

struct view *view_new(struct input *input, const char *name, bool growing)
{
	struct view *view = xcalloc(1, sizeof(*view));

	view->input = input;
	view->name = name;
	view->follow = input_is_live(input);
	view->show_timeline = view->lines = view->redraw = true;
	view->heap_options = (struct heap_options){
		.keep_records = true, .follow = growing, .memory = RECORDS_MEMORY, .quick_lines = true,
		.stop = slice_is_over, .stop_of = view,
	};
	view->thread_order.column = THREAD_BY_ALLOCATED;
	view->session_wanted = SESSION_ANY;
	target_output_init(&view->output, NULL);
	heap_start(view);
	return view;
}

void view_free(struct view *view)
{
	if (!view)
		return;
	export_file_close(&view->export);
	heap_stop(view);
	detail_release(&view->detail);
	target_output_release(&view->output);
	connection_release(&view->connection);
	input_close(view->input);
	free(view);
}

void view_restart(struct view *view)
{
	export_file_close(&view->export);
	heap_stop(view);
	look_forget(view);
	view->commands = (struct commands){ 0 };
	heap_start(view);
	select_groups(view->selection, view_kind(view)->groups);
	view_say(view, false, "the trace was started anew");
}

void view_filter(struct view *view)
{
	view->filter.search = view->search;
	select_filter(view->selection, &view->filter);
	view->filter_generation++;
	view->redraw = true;
}

void view_sort(struct view *view)
{
	for (unsigned i = 0; i < VIEW_KINDS; i++)
		if (kinds[i]->sort)
			kinds[i]->sort(view->selection, (enum select_column)view->order[i].column,
				       view->order[i].reverse);
	view->redraw = true;
}

void view_cost_next(struct view *view)
{
	view_cost_to(view, (enum cost)((view->cost + 1) % COSTS));
}

void view_cost_to(struct view *view, enum cost cost)
{
	view->cost = cost;
	select_cost(view->selection, view->cost);
	view_say(view, false, "cost: %s", cost_name(view->cost));
}

void view_set_kind(struct view *view, unsigned kind)
{
	view->kind = kind % VIEW_KINDS;
	view->detail_top = 0;
	view->ahead.count = 0;
	view->busy = true;
	select_groups(view->selection, view_kind(view)->groups);
	view->redraw = true;
}

/* What the timeline is of: a thread, and in group mode the selected group. */
static bool step_timeline(struct view *view)
{
	uint32_t thread = view->filter.thread;
	uint32_t site = view->kind == VIEW_SITES ? view->site : HEAP_NONE;

	if (view->timeline && (thread != view->timeline_thread || site != view->timeline_site)) {
		timeline_free(view->timeline);
		view->timeline = NULL;
	}
	view->timeline_thread = thread;
	view->timeline_site = site;
	if (!view->show_timeline || (thread == HEAP_NONE && site == HEAP_NONE))
		return true;
	if (!view->timeline)
		view->timeline = timeline_new(view->heap, thread, site);
	return timeline_step(view->timeline, STEP_RECORDS);
}

static bool step_group(struct view *view)
{
	struct select_filter filter = view->filter;

	if (!view->histogram || view->kind != VIEW_SITES || view->site == HEAP_NONE)
		return true;
	if (!view->group_selection)
		view->group_selection = select_new(view->heap);
	if (view->group_site != view->site || view->group_filter != view->filter_generation) {
		filter.site = view->group_site = view->site;
		view->group_filter = view->filter_generation;
		select_filter(view->group_selection, &filter);
	}
	return select_step(view->group_selection, STEP_RECORDS);
}

/* Which functions are wrappers: names of call sites change with it. */
static bool step_learning(struct view *view)
{
	bool done = stack_learn_step(view->heap, STEP_SITES);

	view->redraw |= done && !view->learnt;
	view->learnt = done;
	return done;
}

/* When the costly parts of the detail are to be made; UINT64_MAX when they are as they should be. */
static uint64_t scan_due(const struct view *view)
{
	bool groups = view->kind == VIEW_SITES;
	uint32_t want = groups ? view->site : view->kind == VIEW_RECORDS ? view->record : HEAP_NONE;
	uint64_t rested = view->moved + REST_MS, again = view->scanned + SCAN_AGAIN_MS;

	if (want == HEAP_NONE)
		return UINT64_MAX;
	if (want != (groups ? view->free_sites_of : view->thread_total_of))
		return rested;
	/* A record's total stays; frees go on while a trace is loaded or lives. */
	if (!groups || view->free_sites_generation == heap_generation(view->heap))
		return UINT64_MAX;
	return rested > again ? rested : again;
}

/* The same for what was freed in the range, or since the delta's start. */
static uint64_t before_due(const struct view *view)
{
	bool timed = view->filter.range || view->filter.delta;
	uint64_t rested = view->moved + REST_MS, again = view->scanned + SCAN_AGAIN_MS;

	if (!timed || (view->before_filter == view->filter_generation &&
		       view->before_generation == heap_generation(view->heap)))
		return UINT64_MAX;
	return view->before_filter != view->filter_generation || rested > again ? rested : again;
}

static void scan_begin(struct view *view, struct scan *scan, enum view_scan what)
{
	view->scan = scan;
	view->scan_what = what;
	view->scan_site = view->site;
	view->scan_record = view->record;
	view->scan_filter = view->filter_generation;
	view->scan_generation = heap_generation(view->heap);
}

/* Does somebody still want to know? */
static bool scan_is_wanted(const struct view *view)
{
	switch (view->scan_what) {
	case SCAN_BEFORE: return view->scan_filter == view->filter_generation;
	case SCAN_FREE_SITES: return view->kind == VIEW_SITES && view->scan_site == view->site;
	default: return view->kind == VIEW_RECORDS && view->scan_record == view->record;
	}
}

static void scan_done(struct view *view)
{
	if (view->scan_what == SCAN_BEFORE) {
		scan_before(view->scan, &view->before);
		view->before_filter = view->scan_filter;
		view->before_generation = view->scan_generation;
	} else if (view->scan_what == SCAN_FREE_SITES) {
		view->free_site_count = scan_free_sites(view->scan, view->free_sites, 8);
		scan_lifetimes(view->scan, &view->lifetimes);
		view->free_sites_of = view->scan_site;
		view->free_sites_generation = view->scan_generation;
	} else {
		view->thread_total = scan_total(view->scan);
		view->thread_total_of = view->scan_record;
	}
	scan_stop(view);
	view->scanned = now_ms();
	view->redraw = true;
}

/* The next question, when it is time for it. */
static void scan_start(struct view *view)
{
	if (now_ms() >= before_due(view))
		scan_begin(view, scan_of_before(view->selection), SCAN_BEFORE);
	else if (now_ms() < scan_due(view))
		return;
	else if (view->kind == VIEW_SITES)
		scan_begin(view, scan_of_free_sites(view->heap, view->site), SCAN_FREE_SITES);
	else if (view->record < block_count(view->heap))
		scan_begin(view, scan_of_total(view->heap, view->record), SCAN_TOTAL);
	else
		view->thread_total_of = view->record;
}

/* What costs a look at all records is only made when the user rests: where the blocks of the
 * selected group were freed, what the thread had allocated by the selected record.  Returns whether
 * nothing is left to do. */
static bool step_scans(struct view *view, uint64_t until)
{
	if (now_ms() >= trees_sites_due(view)) {
		trees_find_sites(view);
		view->scanned = now_ms();
		view->redraw = true;
	}
	if (view->scan && !scan_is_wanted(view))
		scan_stop(view);
	if (!view->scan)
		scan_start(view);
	while (view->scan && now_ms() < until && !term_waits(view->term))
		if (scan_step(view->scan, STEP_RECORDS))
			scan_done(view);
	return !view->scan;
}

int view_rest(const struct view *view)
{
	uint64_t dues[] = {
		scan_due(view), before_due(view), trees_due(view), trees_sites_due(view), summary_due(view),
	};
	uint64_t due = UINT64_MAX, now = now_ms();

	for (size_t i = 0; i < sizeof(dues) / sizeof(dues[0]); i++)
		due = dues[i] < due ? dues[i] : due;

	if (due == UINT64_MAX)
		return -1;
	return due > now ? (int)(due - now) : 0;
}

bool view_step(struct view *view)
{
	uint64_t until = now_ms() + STEP_MS;
	uint64_t generation;
	bool done;

	view_session_settle(view);
	view->slice_until = until;
	if (heap_is_behind(view->heap)) {
		view->redraw = view->busy = true;
		if (!heap_catch_up(view->heap))
			return false;
	}
	generation = select_generation(view->selection);
	do {
		done = select_step(view->selection, STEP_RECORDS);
		done = step_timeline(view) && done;
		done = step_group(view) && done;
		done = step_learning(view) && done;
		done = trees_step(view) && done;
		done = summary_step(view) && done;
	} while (!done && now_ms() < until && !term_waits(view->term));
	cancel_watch(view);
	done = done && step_scans(view, until);
	if (generation != select_generation(view->selection) || !done)
		view->redraw = true;
	view->busy = !done;
	ahead_settle(view);
	return done;
}

bool view_is_live(const struct view *view)
{
	struct heap_status status;

	heap_status(view->heap, &status);
	return input_is_live(view->input) && status.end == HEAP_RUNNING;
}

void view_say(struct view *view, bool alert, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(view->message, sizeof(view->message), format, args);
	va_end(args);
	view->alert = alert;
	view->redraw = true;
}

bool view_selected_time(const struct view *view, bool last, uint64_t *ns)
{
	const struct view_kind *kind = view_kind(view);

	return kind->time && kind->count(view) && kind->time(view, last, ns);
}

uint32_t *view_thread_order(const struct view *view, size_t *count)
{
	uint32_t *order;

	*count = thread_count(view->heap);
	order = xcalloc(*count + 1, sizeof(*order));
	thread_sort(view->heap, (enum thread_column)view->thread_order.column, view->thread_order.reverse,
		    order);
	return order;
}

const char *view_thread_name(const struct view *view, uint32_t thread, char *out, size_t size)
{
	struct heap_thread t;

	if (thread >= thread_count(view->heap))
		return "-";
	thread_get(view->heap, thread, &t);
	if (t.name[0])
		return t.name;
	snprintf(out, size, "%u", t.tid);
	return out;
}
