/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delta, markers and the time range, all at the time of the selected row. */
#include "memview/select_time.h"

#include "base/units.h"
#include "memview/view.h"

static bool time_or_say(struct view *view, bool last, uint64_t *ns)
{
	if (view_selected_time(view, last, ns))
		return true;
	view_say(view, false, view_kind(view)->time ? "select an allocation first" :
		 "the lines of this view have no time: v goes on to others");
	return false;
}

void select_time_delta(struct view *view)
{
	uint64_t ns;

	if (view->filter.delta) {
		view->filter.delta = false;
		view_filter(view);
		return;
	}
	if (!time_or_say(view, false, &ns))
		return;
	view->filter.delta = true;
	view->filter.delta_ns = ns;
	view_filter(view);
}

void select_time_mark(struct view *view)
{
	char text[UNITS_TEXT_MAX];
	uint64_t ns;
	int number;

	if (!time_or_say(view, false, &ns))
		return;
	number = markers_add(&view->markers, ns);
	format_duration(text, sizeof(text), ns);
	if (number)
		view_say(view, false, "marker M%d at %s", number, text);
	else
		view_say(view, true, "all nine markers are in use: D deletes the nearest");
}

void select_time_unmark(struct view *view)
{
	uint64_t ns;
	int number;

	/* With nothing selected the nearest to the start goes. */
	if (!view_selected_time(view, false, &ns))
		ns = 0;
	number = markers_remove(&view->markers, ns);
	if (number)
		view_say(view, false, "marker M%d deleted", number);
	else
		view_say(view, false, "there are no markers");
}

/* Two cells of the timeline. */
static uint64_t snap_reach(const struct view *view)
{
	struct heap_status status;

	heap_status(view->heap, &status);
	return view->layout.columns > 0 ? 2 * status.now_ns / (uint64_t)view->layout.columns : 0;
}

static void range_end(struct view *view, int side, bool *set, uint64_t *end)
{
	char text[UNITS_TEXT_MAX];
	uint64_t ns, snapped;
	int number;

	if (!time_or_say(view, side > 0, &ns))
		return;
	number = markers_near(&view->markers, ns, side, snap_reach(view), &snapped);
	*set = true;
	*end = number ? snapped : ns;
	view->filter.range = view->range_from && view->range_to;
	if (view->filter.range && view->filter.range_from_ns > view->filter.range_to_ns) {
		view->filter.range_from_ns = view->filter.range_to_ns = *end;
		view_say(view, true, "the range would end before it starts: both ends are here now");
	} else {
		format_duration(text, sizeof(text), *end);
		view_say(view, false, "range %s at %s%s", side < 0 ? "starts" : "ends", text,
			 number ? ", where a marker is" : "");
	}
	view_filter(view);
}

void select_time_from(struct view *view)
{
	range_end(view, -1, &view->range_from, &view->filter.range_from_ns);
}

void select_time_to(struct view *view)
{
	range_end(view, 1, &view->range_to, &view->filter.range_to_ns);
}

void select_time_clear(struct view *view)
{
	if (!view->range_from && !view->range_to) {
		view_say(view, false, "there is no range");
		return;
	}
	view->range_from = view->range_to = view->filter.range = false;
	view_say(view, false, "range cleared");
	view_filter(view);
}
