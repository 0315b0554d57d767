/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main loop.  Work is cut into slices of at most SLICE_MS, so that a key never waits longer; what
 * is read of the trace is left as soon as a key waits, and so may take FEED_MS. */
#include "memview/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>

#include "memview/draw.h"
#include "memview/export_file.h"
#include "memview/interrupts.h"
#include "memview/keys.h"
#include "memview/leave.h"
#include "memview/now.h"
#include "memview/view.h"

#define SLICE_MS 15
#define FEED_MS 50		/* or a live trace falls behind while a filter looks at all there is */
#define READ_BYTES 16384	/* decompressed and digested in a few milliseconds */
#define REFRESH_MS 250		/* a growing file is looked at again */
#define FRAME_MS 100		/* between two screens while nothing but the data changes */
#define KEYS_AT_ONCE 256

static void feed_ended(struct view *view, enum input_state before)
{
	enum input_state state = input_state(view->input);
	bool lost = connection_is_lost(view);

	view->loading = false;
	if (state != before && (state == INPUT_REPLACED || lost))
		view->message[0] = 0;		/* for what can be done about it */
	if (lost)
		return;				/* nobody knows what became of what is alive */
	if (state == INPUT_ENDED || state == INPUT_FAILED)
		view->loading = !heap_end(view->root);
}

/* Nothing more came: what waits for order can be shown.  Returns whether all is. */
static bool feed_rests(struct view *view)
{
	uint64_t generation = heap_generation(view->root);

	if (generation == view->settled)
		return true;
	view->redraw = true;
	if (!heap_settle(view->root))
		return false;
	view->settled = heap_generation(view->root);
	return true;
}

/* All that came is digested, and there is no more: for now, or at all.  Returns whether there is work
 * left. */
static bool feed_nothing(struct view *view, enum input_state before, bool any)
{
	connection_rests(view);
	if (before != input_state(view->input))
		view->redraw = true;
	feed_ended(view, before);
	return view->loading || (!any && !feed_rests(view));
}

static bool slice_is_left(const struct view *view)
{
	return now_ms() < view->slice_until && !term_waits(view->term);
}

/* Warnings about the data are for people: the newest is shown. */
static void show_notes(struct view *view)
{
	size_t count = heap_note_count(view->heap);

	if (count > view->notes)
		view_say(view, false, "note: %s", heap_note_at(view->heap, count - 1));
	view->notes = count;
}

bool loop_feed(struct view *view, unsigned limit_ms, bool *bad)
{
	static char bytes[READ_BYTES];
	enum input_state before = input_state(view->input);
	bool any = view->loading;

	*bad = false;
	view->slice_until = now_ms() + limit_ms;
	do {
		ssize_t n;

		if (!heap_go_on(view->root)) {
			view->redraw = true;
			continue;
		}
		n = input_read(view->input, bytes, sizeof(bytes));
		if (n <= 0)
			return feed_nothing(view, before, any);
		any = true;
		view->redraw = true;
		connection_fed(view, bytes, (size_t)n);
		if (heap_feed(view->root, bytes, (size_t)n) < 0) {
			*bad = true;
			return false;
		}
	} while (slice_is_left(view));
	view->loading = true;
	return true;
}

/* Ctrl-C is a wish as q is, and asks what q asks; the second time there is nothing to be asked. */
static void asked_to_end(struct view *view)
{
	bool asked = leave_is_asked(view);

	if (interrupts_end_signal() == SIGINT && leave_concerns(view) && !asked)
		leave(view);
	else
		view->quit = true;
	if (!view->quit)
		interrupts_forgive();
}

static void handle_signals(struct view *view)
{
	unsigned what = interrupts_take();

	if (what & INTERRUPT_END)
		asked_to_end(view);
	if (what & INTERRUPT_STOP) {
		term_suspend(view->term);
		interrupts_stop_self();
		what |= INTERRUPT_CONTINUE;
	}
	if (what & INTERRUPT_CONTINUE)
		term_resume(view->term);
	if (what & (INTERRUPT_CONTINUE | INTERRUPT_RESIZE)) {
		term_resize(view->term);
		view_draw(view);
		term_show(view->term, what & INTERRUPT_CONTINUE);
	}
}

/* All keys that wait; work is done in between as long as it is quick, so that a key typed ahead
 * finds what the one before it asked for. */
static bool handle_keys(struct view *view)
{
	uint64_t until = now_ms() + SLICE_MS;
	int key, count = 0;

	while (count < KEYS_AT_ONCE && !view->quit && (key = term_key(view->term)) != KEYS_NONE) {
		view_key(view, key);
		count++;
		if (key == KEYS_CTRL('l')) {
			view_draw(view);
			term_show(view->term, true);
		}
		if (now_ms() < until) {
			view_step(view);
			view_settle_cursors(view);
		}
	}
	return count > 0;
}

static void wait_for_something(struct view *view, int timeout)
{
	struct pollfd fds[3] = { { .fd = term_input(view->term), .events = POLLIN } };
	uint64_t start = now_ms();

	fds[1].fd = input_fd(view->input);
	fds[1].events = input_state(view->input) == INPUT_WAITING ? POLLOUT : POLLIN;
	/* What was digested enough for this frame can wait in the kernel. */
	if (!input_is_live(view->input))
		fds[1].fd = -1;
	fds[2].fd = connection_fd(view);
	fds[2].events = POLLIN;
	interrupts_wait(fds, 3, timeout);
	if (fds[0].revents & POLLIN && now_ms() > start + 1)
		term_key_came(view->term);
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		view->quit = true;
}

static int sooner(int a, int b)
{
	return b < 0 || (a >= 0 && a < b) ? a : b;
}

/* Milliseconds to wait for keys and data, -1 for ever: all that is still to be drawn or to be
 * worked on must be in here, or it comes with the next key only. */
static int next_timeout(const struct view *view, bool more, bool done, uint64_t drawn)
{
	uint64_t since = now_ms() - drawn;
	int timeout = -1;

	if (more || !done || export_file_is_open(&view->export))
		return 0;
	if (input_state(view->input) == INPUT_WAITING || connection_is_retrying(view))
		timeout = FRAME_MS;
	else if (input_is_watched(view->input))
		timeout = REFRESH_MS;
	if (view->redraw)
		timeout = sooner(timeout, since < FRAME_MS ? (int)(FRAME_MS - since) : 0);
	return sooner(timeout, view_rest(view));
}

static void show(struct view *view, uint64_t *drawn)
{
	view_draw(view);
	term_show(view->term, false);
	view->redraw = false;
	*drawn = now_ms();
}

void loop_run(struct view *view)
{
	uint64_t drawn = 0, fed = 0;
	bool more = true, done, bad, keys, retrying = false;

	show_notes(view);
	/* A small trace is there with the first picture. */
	done = view_step(view);
	show(view, &drawn);
	while (!view->quit) {
		wait_for_something(view, next_timeout(view, more || retrying, done, drawn));
		handle_signals(view);
		keys = handle_keys(view);
		if (view->quit)
			break;
		/* An answer to a key does not wait for more of the trace. */
		if (!keys && (more || now_ms() >= fed + REFRESH_MS || input_fd(view->input) >= 0)) {
			more = loop_feed(view, FEED_MS, &bad);
			fed = now_ms();
			if (bad)
				view_say(view, true, "this is neither a memtrack trace nor its text log");
		}
		retrying = connection_step(view);
		commands_watch(view);
		show_notes(view);
		view->redraw |= target_output_news(&view->output);
		done = view_step(view);
		if (export_file_is_open(&view->export))
			export_file_step(view);
		if (keys || (view->redraw && now_ms() >= drawn + FRAME_MS))
			show(view, &drawn);
	}
}
