/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens with the answers to questions: search, age, export. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memview/view.h"

static void answer_search(struct view *view)
{
	snprintf(view->search, sizeof(view->search), "%s", view->prompt.text);
	view_filter(view);
}

static void answer_age(struct view *view)
{
	const char *text = view->prompt.text;
	char *end;
	double seconds = strtod(text, &end);

	while (*end == ' ' || *end == 's')
		end++;
	if (*end || !(seconds >= 0 && seconds < 1e9)) {
		view_say(view, true, "not a number of seconds: %s", text);
		return;
	}
	view->age = seconds;
	view->filter.min_age_ns = (uint64_t)(seconds * 1e9);
	view_filter(view);
}

static void export_to(struct view *view, bool overwrite)
{
	if (export_file_start(view, view->export_path, overwrite) != -EEXIST)
		return;
	view->question = ASK_OVERWRITE;
	prompt_choose(&view->prompt, "The file exists. Overwrite it (y/n)?");
}

static void answer_export(struct view *view)
{
	if (!view->prompt.text[0])
		return;
	snprintf(view->export_path, sizeof(view->export_path), "%s", view->prompt.text);
	export_to(view, false);
}

static void answer_overwrite(struct view *view)
{
	if (view->prompt.yes)
		export_to(view, true);
	else
		view_say(view, false, "nothing was written");
}

void view_answer(struct view *view)
{
	enum question question = view->question;

	view->question = ASK_NOTHING;
	if (question == ASK_SEARCH)
		answer_search(view);
	else if (question == ASK_AGE)
		answer_age(view);
	else if (question == ASK_EXPORT)
		answer_export(view);
	else if (question == ASK_MARKER)
		commands_mark(view, view->prompt.text);
	else if (question == ASK_OVERWRITE)
		answer_overwrite(view);
	else if (question == ASK_OTHER)
		connection_answer(view, view->prompt.yes);
}
