/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Commands to the launcher. */
#include "memview/commands.h"

#include <stdio.h>
#include <string.h>

#include "memview/now.h"
#include "memview/view.h"
#include "model/marks.h"
#include "wire/command.h"

#define PATIENCE_MS	5000

/* Why nobody would obey; NULL: somebody may. */
static const char *refusal(const struct view *view)
{
	enum link state = connection_state(view);

	if (state == LINK_LOST)
		return input_can_connect_again(view->input) ? "the connection was lost: r connects again" :
		       "the connection was lost";
	if (state != LINK_LIVE || !input_is_stream(view->input))
		return "there is no memtrack at the other end: this is no live stream";
	if (!heap_fact(view->heap, "commands"))
		return input_position(view->input) ? "this stream takes no commands" : "nothing has come yet";
	if (!input_is_near(view->input))
		return "commands are taken only on the machine where memtrack runs";
	return NULL;
}

static void order(struct view *view, const struct wire_command *command)
{
	const char *why = refusal(view);
	char line[WIRE_COMMAND_LINE + 1];
	size_t length = wire_command_format(command, line);

	if (!why && input_send(view->input, WIRE_COMMAND_HELLO "\n", line, length))
		why = "the command could not be sent";
	if (why)
		view_say(view, true, "%s", why);
	else if (!view->commands.asked_ms)
		view->commands.asked_ms = now_ms();
}

void commands_pause(struct view *view)
{
	order(view, &(struct wire_command){ .kind = heap_paused(view->heap) ? WIRE_RESUME : WIRE_PAUSE });
}

void commands_snapshot(struct view *view)
{
	order(view, &(struct wire_command){ .kind = WIRE_SNAPSHOT });
}

void commands_ask_name(struct view *view)
{
	const char *why = refusal(view);

	if (why) {
		view_say(view, true, "%s", why);
		return;
	}
	view->question = ASK_MARKER;
	prompt_ask(&view->prompt, "Name of the marker:", NULL);
}

void commands_mark(struct view *view, const char *name)
{
	struct wire_command command = { .kind = WIRE_MARK };

	wire_command_name(&command, name);
	order(view, &command);
}

static void take_markers(struct view *view)
{
	struct commands *c = &view->commands;
	size_t count = heap_marker_count(view->heap);
	uint64_t ns;

	for (; c->markers < count; c->markers++) {
		const char *name = heap_marker_at(view->heap, c->markers, &ns);
		int number = markers_add(&view->markers, ns);

		view->redraw = true;
		if (number && c->asked_ms)
			view_say(view, false, "M%d %s", number, name);
	}
}

/* "12 words": the number makes it another one. */
static void take_answer(struct view *view)
{
	struct commands *c = &view->commands;
	const char *answer = heap_fact(view->heap, "answer"), *words;

	if (!answer || strcmp(answer, c->answer) == 0)
		return;
	snprintf(c->answer, sizeof(c->answer), "%s", answer);
	words = strchr(answer, ' ');
	if ((c->asked_ms || c->late) && words && strcmp(words + 1, "marker set") != 0)
		view_say(view, strncmp(words + 1, "no ", 3) == 0, "%s", words + 1);
	c->asked_ms = 0;
	c->late = false;
}

void commands_watch(struct view *view)
{
	struct commands *c = &view->commands;

	take_markers(view);
	take_answer(view);
	if (!c->asked_ms || now_ms() < c->asked_ms + PATIENCE_MS)
		return;
	c->asked_ms = 0;
	c->late = true;
	view_say(view, true, "no answer yet: a snapshot takes its time; else nobody takes commands there");
}
