/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Esc ends a filter, a search or an order that is still being worked on. */
#include "memview/cancel.h"

#include <string.h>

#include "memview/now.h"
#include "memview/view.h"

#define AT_ONCE_MS	300	/* what takes less is not told of */
#define MEANT_MS	1500	/* Esc so short after the end of work was meant for the work */

static void remember(struct view *view)
{
	struct view_look *look = &view->look;

	look->filter = view->filter;
	memcpy(look->search, view->search, sizeof(look->search));
	look->age = view->age;
	memcpy(look->order, view->order, sizeof(look->order));
	memcpy(look->list, view->list, sizeof(look->list));
	look->record = view->record;
	look->site = view->site;
	look->range_from = view->range_from;
	look->range_to = view->range_to;
	look->known = true;
}

void cancel_forget(struct view *view)
{
	view->look.known = false;
	view->work_since = view->work_until = 0;
}

void cancel_watch(struct view *view)
{
	unsigned permille;
	bool works = select_work(view->selection, &permille) > SELECT_READS;

	if (select_is_settled(view->selection))
		remember(view);
	if (works && !view->work_since)
		view->work_since = now_ms();
	if (!works && view->work_since) {
		if (now_ms() >= view->work_since + AT_ONCE_MS)
			view->work_until = now_ms();
		view->work_since = 0;
	}
}

static void go_back(struct view *view)
{
	const struct view_look *look = &view->look;

	memcpy(view->search, look->search, sizeof(view->search));
	view->filter = look->filter;
	view->filter.search = view->search;
	view->age = look->age;
	memcpy(view->order, look->order, sizeof(view->order));
	memcpy(view->list, look->list, sizeof(view->list));
	view->record = look->record;
	view->site = look->site;
	view->range_from = look->range_from;
	view->range_to = look->range_to;
	view->filter_generation++;
	view->work_since = 0;
	view_sort(view);
}

bool cancel_work(struct view *view)
{
	bool wide;

	if (view->look.known && select_cancel(view->selection)) {
		go_back(view);
		view_say(view, false, "cancelled: all is as it was before");
		return true;
	}
	wide = view->work_until && now_ms() < view->work_until + MEANT_MS;
	if (wide)
		view_say(view, false, "done; Esc or q quits");
	view->work_until = 0;
	return wide;
}

const char *cancel_what(const struct view *view, unsigned *permille)
{
	enum select_work work = select_work(view->selection, permille);

	if (work < SELECT_FILTERS || !view->work_since || now_ms() < view->work_since + AT_ONCE_MS)
		return NULL;
	if (work == SELECT_SORTS)
		return "sorting";
	return view->search[0] ? "searching" : "filtering";
}
