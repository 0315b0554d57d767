/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys typed ahead: what they do to rows is done when the first rows are there. */
#include "memview/ahead.h"

#include "memview/actions.h"
#include "memview/view.h"

static bool is_for_rows(int action)
{
	switch (action) {
	case ACTION_UP:
	case ACTION_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_FIRST:
	case ACTION_LAST:
	case ACTION_ENTER:
	case ACTION_FOLD_TOGGLE:
	case ACTION_UNFOLD:
	case ACTION_FOLD:
	case ACTION_UNFOLD_ALL: return true;
	default: return false;
	}
}

static bool is_coming(const struct view *view)
{
	return (view->busy || view->loading) && !view_kind(view)->count(view);
}

bool ahead_keep(struct view *view, int action, int key)
{
	struct ahead *ahead = &view->ahead;

	if (view->focus != PANE_LIST || view->histogram || !is_for_rows(action) || !is_coming(view))
		return false;
	if (ahead->count < AHEAD_MAX)
		ahead->keys[ahead->count++] = (struct ahead_key){ action, key };
	return true;
}

void ahead_settle(struct view *view)
{
	struct ahead todo = view->ahead;

	if (!todo.count || is_coming(view))
		return;
	view->ahead.count = 0;
	view_settle_cursors(view);
	for (unsigned i = 0; i < todo.count && view_kind(view)->count(view); i++)
		view_do(view, todo.keys[i].action, todo.keys[i].key);
}
