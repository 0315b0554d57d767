/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a trace to its end and reports. */
#include "memview/batch.h"

#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/text.h"
#include "memview/input.h"
#include "memview/viewer.h"
#include "model/report.h"

#define READ_BYTES 65536
#define POLL_MS 100

static void wait_for(const struct input *input)
{
	struct pollfd fd = { .fd = input_fd(input), .events = POLLIN };

	if (input_state(input) == INPUT_WAITING)
		fd.events = POLLOUT;
	if (fd.fd >= 0 || input_state(input) == INPUT_WAITING)
		poll(&fd, fd.fd >= 0, POLL_MS);
}

static int read_all(struct input *input, struct heap *heap)
{
	static char bytes[READ_BYTES];

	while (input_state(input) == INPUT_WAITING || input_state(input) == INPUT_FLOWING) {
		ssize_t n = input_read(input, bytes, sizeof(bytes));

		if (n > 0 && heap_feed(heap, bytes, (size_t)n) < 0)
			return -1;
		if (n == 0)
			wait_for(input);
	}
	heap_end(heap);
	return 0;
}

static unsigned columns(void)
{
	struct winsize window;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) < 0 || window.ws_col < 40)
		return 0;
	return window.ws_col > 160 ? 160 : window.ws_col;
}

/* The report is UTF-8; elsewhere what is not ASCII becomes '?'. */
static void localise(struct buffer *text)
{
	struct buffer plain = BUFFER_INIT;
	const char *line = buffer_text(text), *end;

	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return;
	while (*line) {
		end = strchrnul(line, '\n');
		text_sanitise_ascii(&plain, line, (size_t)(end - line));
		if (*end)
			buffer_append_char(&plain, '\n');
		line = *end ? end + 1 : end;
	}
	buffer_release(text);
	*text = plain;
}

static int write_out(struct heap *heap, const struct viewer_options *options)
{
	struct report_options how = {
		.top = options->top, .frames = options->frames, .width = columns(), .all = options->all,
		.session = SIZE_MAX,
	};
	struct buffer text = BUFFER_INIT;
	int status = 0;

	if (options->session != UINT64_MAX) {
		how.session = heap_session_find(heap, options->session);
		if (how.session == SIZE_MAX)
			return viewer_fail("--session %llu: there is no such process in the trace",
					   (unsigned long long)options->session);
	}
	if (options->json) {
		how.top = options->top_given ? options->top : 0;
		report_json(heap, &how, &text);
	} else {
		report_text(heap, &how, &text);
		localise(&text);
	}
	fwrite(buffer_text(&text), 1, text.length, stdout);
	if (fflush(stdout) || ferror(stdout))
		status = viewer_fail("cannot write the report: %m");
	buffer_release(&text);
	return status;
}

/* The report is of what can be read: one line tells who does not read it to its notes, the exit status scripts. */
static int tell_damage(struct heap *heap, const char *name)
{
	bool damaged = false, cut = false;

	for (size_t i = 0; i < heap_session_count(heap); i++) {
		struct heap_status status;

		heap_status(heap_session_at(heap, i), &status);
		damaged |= status.damaged && !status.cut;
		cut |= status.cut;
	}
	if (damaged)
		viewer_fail("%s is damaged: the report is of what can be read, its notes say what is missing", name);
	else if (cut)
		viewer_fail("%s has no end (its writer was killed or goes on, or it was cut off): the report is of what is there",
			    name);
	return damaged || cut ? VIEWER_PART : 0;
}

static int report(struct heap *heap, const struct input *input, const struct viewer_options *options)
{
	int status = write_out(heap, options);

	if (status)
		return status;
	/* A lost connection is told, but what came was reported; a lost copy is a failure. */
	if (input_message(input)[0]) {
		viewer_fail("%s", input_message(input));
		return input_save_failed(input) ? VIEWER_FAILED : VIEWER_PART;
	}
	return tell_damage(heap, options->where);
}

int batch_report(const struct viewer_options *options)
{
	struct input_request request = { .where = options->where, .save = options->save };
	struct input *input;
	struct heap *heap;
	char error[256];
	int status;
	bool bad;

	if (input_open(&input, &request, error, sizeof(error)) < 0)
		return viewer_fail("%s", error);
	heap = heap_new(NULL);
	bad = read_all(input, heap) < 0 || viewer_is_no_trace(heap) || !input_position(input);
	if (input_state(input) == INPUT_FAILED)
		status = viewer_fail("%s", input_message(input));
	else if (bad)
		status = viewer_fail_no_trace(input, heap, options->where);
	else
		status = report(heap, input, options);
	heap_free(heap);
	input_close(input);
	return status;
}
