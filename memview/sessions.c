/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several processes in one stream: which of them is shown. */
#include <stdlib.h>

#include "memview/view.h"

static void show(struct view *view, size_t index)
{
	const char *pid, *command;

	view->session = index;
	view_show_heap(view, heap_session_at(view->root, index));
	pid = heap_fact(view->heap, "pid");
	command = heap_fact(view->heap, "command");
	view_say(view, false, "process %zu of %zu: pid %s, %s", index + 1, heap_session_count(view->root),
		 pid ? pid : "?", command ? command : "(command not recorded)");
}

void view_session_step(struct view *view, int by)
{
	size_t count = heap_session_count(view->root);

	view->session_wanted = SESSION_ANY;
	if (count < 2)
		view_say(view, false, "the trace is of one process only");
	else
		show(view, (view->session + (by > 0 ? 1 : count - 1)) % count);
}

void view_session_settle(struct view *view)
{
	size_t index;

	if (view->session_wanted == SESSION_ANY)
		return;
	index = heap_session_find(view->root, view->session_wanted);
	if (index != SIZE_MAX && index != view->session)
		show(view, index);
	if (index != SIZE_MAX)
		view->session_wanted = SESSION_ANY;
}
