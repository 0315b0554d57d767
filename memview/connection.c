/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling a loss from an end, and going on after it. */
#include "memview/connection.h"

#include <stdio.h>
#include <string.h>

#include "memview/now.h"
#include "memview/view.h"

#define STEP_MS 10
#define READ_BYTES 65536

void connection_release(struct connection *c)
{
	input_close(c->next);
	c->next = NULL;
	c->other = false;
	buffer_release(&c->first);
}

/* Any process of the trace without an end. */
static bool runs(const struct view *view)
{
	struct heap_status status;

	for (size_t i = 0; i < heap_session_count(view->root); i++) {
		heap_status(heap_session_at(view->root, i), &status);
		if (status.end == HEAP_RUNNING)
			return true;
	}
	return false;
}

/* A text log has no end but that of its bytes. */
bool connection_is_lost(const struct view *view)
{
	enum input_state state = input_state(view->input);
	struct heap_status status;

	if (!input_is_stream(view->input) || (state != INPUT_ENDED && state != INPUT_FAILED))
		return false;
	heap_status(view->root, &status);
	if (status.data_ended || !runs(view))
		return false;
	return status.format != HEAP_FORMAT_TEXT || state == INPUT_FAILED || input_is_broken(view->input);
}

bool connection_is_cut(const struct view *view)
{
	struct heap_status status;

	if (input_is_live(view->input) || view->loading)
		return false;
	heap_status(view->root, &status);
	return status.format == HEAP_FORMAT_MTK && runs(view);
}

static enum link state_while_flowing(const struct view *view)
{
	if (input_is_live(view->input) && !input_position(view->input))
		return LINK_WAITING;
	if (view_is_live(view))
		return LINK_LIVE;
	if (view->loading)
		return LINK_LOADING;
	return connection_is_cut(view) ? LINK_CUT : LINK_DONE;
}

enum link connection_state(const struct view *view)
{
	switch (input_state(view->input)) {
	case INPUT_WAITING: return LINK_WAITING;
	case INPUT_FLOWING: return state_while_flowing(view);
	case INPUT_REPLACED: return LINK_REPLACED;
	default: return connection_is_lost(view) ? LINK_LOST : connection_is_cut(view) ? LINK_CUT : LINK_DONE;
	}
}

void connection_fed(struct view *view, const void *bytes, size_t length)
{
	if (input_can_connect_again(view->input))
		prefix_add(&view->connection.seen, bytes, length);
}

void connection_rests(struct view *view)
{
	const char *mark = heap_fact(view->root, "writer");

	if (mark)
		input_expect_writer(view->input, mark);
	if (view->connection.abandoned == input_is_abandoned(view->input))
		return;
	view->connection.abandoned ^= true;
	view->redraw = true;
}

static struct input *connect_again(struct view *view)
{
	const struct input_request request = { .where = view->name };
	struct input *input;
	char error[256];

	if (input_open(&input, &request, error, sizeof(error)) == 0)
		return input;
	view_say(view, true, "%s", error);
	return NULL;
}

static void give_up(struct view *view)
{
	connection_release(&view->connection);
	view->redraw = true;
}

static void reload(struct view *view)
{
	input_reload(view->input);
	view_restart(view);
}

void connection_retry(struct view *view)
{
	struct connection *c = &view->connection;

	if (c->next) {
		give_up(view);
		view_say(view, false, "given up; r tries again");
	} else if (input_state(view->input) == INPUT_REPLACED) {
		reload(view);
	} else if (!connection_is_lost(view)) {
		view_say(view, false, "no connection was lost, no file replaced");
	} else if (!input_can_connect_again(view->input)) {
		view_say(view, false, "that cannot be connected again; what came is kept");
	} else {
		memset(&c->found, 0, sizeof(c->found));
		c->next = connect_again(view);
	}
}

/* It has caught up. */
static void go_on(struct view *view)
{
	struct connection *c = &view->connection;

	input_succeed(c->next, view->input);
	input_close(view->input);
	view->input = c->next;
	c->next = NULL;
	buffer_release(&c->first);
	view_say(view, false, "connected again");
}

/* Its program may be gone by now: what the connection has brought, and will bring, is all there is of it. */
static void show_other(struct view *view)
{
	struct connection *c = &view->connection;
	bool saved = input_saves(view->input);

	input_put_back(c->next, c->first.data, c->first.length);
	input_close(view->input);
	view->input = c->next;
	c->next = NULL;
	connection_release(c);
	memset(&c->seen, 0, sizeof(c->seen));
	view_restart(view);
	view_say(view, false, "another trace%s", saved ? "; what was saved is the one before" : "");
}

void connection_answer(struct view *view, bool yes)
{
	if (!view->connection.next)
		return;
	if (yes)
		show_other(view);
	else
		give_up(view);
}

/* The question waits until no other is open. */
static void ask_other(struct view *view)
{
	if (!view->connection.other || prompt_is_open(&view->prompt))
		return;
	view->question = ASK_OTHER;
	prompt_choose(&view->prompt, "Another program is traced there now. Show it instead (y/n)?");
	view->redraw = true;
}

/* A trace is told by its first block: that is kept to be shown, and what comes with it. */
static void compare(struct view *view, const char *bytes, size_t length)
{
	struct connection *c = &view->connection;

	if (c->found.length < PREFIX_BLOCK)
		buffer_append(&c->first, bytes, length);
	else
		buffer_release(&c->first);
	prefix_add(&c->found, bytes, length);
	if (prefix_agrees(&c->found, &c->seen))
		return;
	c->other = c->first.length == c->found.length;
	if (c->other)
		return;
	view_say(view, true, "%s begins with what is shown, and then differs from it; what came is kept", view->name);
	give_up(view);
}

/* Nothing came: it waits, or it is over. */
static void look_why(struct view *view)
{
	struct input *next = view->connection.next;

	if (input_state(next) == INPUT_FAILED)
		view_say(view, true, "%s", input_message(next));
	else if (input_state(next) == INPUT_ENDED)
		view_say(view, true, "%s closed before it came to what is shown; r tries again", view->name);
	else
		return;
	give_up(view);
}

bool connection_step(struct view *view)
{
	static char bytes[READ_BYTES];
	struct connection *c = &view->connection;
	uint64_t until = now_ms() + STEP_MS;

	while (c->next && !c->other && now_ms() < until) {
		uint64_t left = c->seen.length - c->found.length;
		ssize_t n;

		/* With nothing to be compared the first byte is for the heap. */
		n = input_read(c->next, bytes, left < READ_BYTES ? left : READ_BYTES);
		if (n > 0)
			compare(view, bytes, (size_t)n);
		else
			look_why(view);
		if (c->next && !c->other && input_state(c->next) == INPUT_FLOWING && c->found.length == c->seen.length)
			go_on(view);
		if (n <= 0)
			break;
		view->redraw = true;
	}
	ask_other(view);
	return connection_is_retrying(view) && now_ms() >= until;
}

bool connection_is_retrying(const struct view *view)
{
	return view->connection.next && !view->connection.other;
}

int connection_fd(const struct view *view)
{
	return connection_is_retrying(view) ? input_fd(view->connection.next) : -1;
}

static const char *retrying_line(struct connection *c)
{
	if (input_state(c->next) != INPUT_FLOWING)
		return input_message(c->next);
	snprintf(c->line, sizeof(c->line), "connected, reading again what is known: %u%% (r gives up)",
		 (unsigned)(c->found.length * 100 / (c->seen.length ? c->seen.length : 1)));
	return c->line;
}

const char *connection_line(struct view *view)
{
	struct connection *c = &view->connection;
	const char *news = input_message(view->input);

	if (connection_is_retrying(view))
		return retrying_line(c);
	if (input_is_abandoned(view->input) && connection_is_cut(view))
		return "the trace has no end, and whoever wrote it is gone; what came is kept";
	if (!connection_is_lost(view))
		return news;
	if (view->launched)
		return "memtrack ended before the trace did, the program goes on untraced; what came is kept";
	snprintf(c->line, sizeof(c->line), "%s%s%s%s%s", news, *news ? "" : view->name,
		 *news ? "" : " ended before the trace did", input_position(view->input) ? "; what came is kept" : "",
		 input_can_connect_again(view->input) ? "; r connects again" : "");
	return c->line;
}
