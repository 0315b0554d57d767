/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts the viewer or the batch command, and speaks when something is wrong. */
#include "memview/viewer.h"

#include <locale.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "config.h"
#include "memview/batch.h"
#include "memview/settings.h"
#include "memview/interrupts.h"
#include "memview/loop.h"
#include "memview/now.h"
#include "memview/options.h"
#include "memview/recorder.h"
#include "memview/view.h"

#define FIRST_LOOK_MS 100	/* a file that is no trace is found out before the screen changes */
#define LARGE_BYTES (1 << 20)

int viewer_fail(const char *format, ...)
{
	struct buffer safe = BUFFER_INIT;
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	text_sanitise(&safe, text, strlen(text));
	fprintf(stderr, "memview: %s\n", buffer_text(&safe));
	buffer_release(&safe);
	free(text);
	return VIEWER_FAILED;
}

bool viewer_is_no_trace(const struct heap *heap)
{
	struct heap_status status;

	heap_status(heap, &status);
	return status.format == HEAP_FORMAT_UNKNOWN || status.other_version ||
	       (status.format == HEAP_FORMAT_TEXT && !status.events && status.foreign_lines);
}

int viewer_fail_no_trace(const struct input *input, const struct heap *heap, const char *name)
{
	struct heap_status status;

	heap_status(heap, &status);
	if (!input_position(input))
		return viewer_fail("%s is empty: no trace", name);
	if (status.other_version)
		return viewer_fail("%s was written by another version of memtrack: use the memview that came with that", name);
	return viewer_fail("%s is neither a memtrack trace nor its text log", name);
}

/* Reads ahead without a screen; 0, or the exit status when this will not become anything. */
static int first_look(struct view *view)
{
	uint64_t until = now_ms() + FIRST_LOOK_MS;
	bool bad = false;

	while (loop_feed(view, FIRST_LOOK_MS / 4, &bad) && now_ms() < until)
		;
	if (input_state(view->input) == INPUT_FAILED)
		return viewer_fail("%s", input_message(view->input));
	if (bad || (input_state(view->input) == INPUT_ENDED && viewer_is_no_trace(view->root)))
		return viewer_fail_no_trace(view->input, view->root, view->name);
	return 0;
}

/* What is left to say once the screen is gone. */
static int afterwards(const struct view *view)
{
	if (input_state(view->input) == INPUT_FAILED || input_save_failed(view->input))
		return viewer_fail("%s", input_message(view->input));
	return 0;
}

/* What is wrong in the config file: on the terminal below the screen, and the first also on it. */
static void tell_problems(struct view *view, const struct settings *settings)
{
	const char *text = buffer_text(&settings->problems);
	size_t first = strcspn(text, "\n");

	if (!settings->problem_count)
		return;
	fputs(text, stderr);
	if (settings->problem_count == 1)
		view_say(view, true, "%.*s", (int)first, text);
	else
		view_say(view, true, "%.*s (and %zu more)", (int)first, text, settings->problem_count - 1);
}

static int start_screen(struct view *view, char *error, size_t size)
{
	struct settings settings;
	int status;

	settings_read(&settings);
	tell_problems(view, &settings);
	status = term_start(&view->term, &settings.terminal, error, size);
	settings_release(&settings);
	return status;
}

/* Whoever started us may go on, and knows what to do for the terminal if we cannot any more. */
static void tell_ready(int fd)
{
	char bytes[256];
	size_t length = interrupts_guarded(bytes, sizeof(bytes));

	if (!fd)
		return;
	if (!length)
		bytes[length++] = '\r';
	if (write(fd, bytes, length) < 0) {
		/* it is gone, and its death signal under way */
	}
	close(fd);
}

static int open_screen(struct view *view, int ready)
{
	char error[256];
	int status;

	if (interrupts_install() < 0)
		return viewer_fail("cannot handle signals: %m");
	if (start_screen(view, error, sizeof(error)) < 0)
		return viewer_fail("%s", error);
	tell_ready(ready);
	loop_run(view);
	term_stop(view->term);
	view->term = NULL;
	if (view->recorder && view->wish == VIEWER_KILLS)
		recorder_kill(view->recorder, view->input);
	if (view->recorder)
		recorder_stop(view->recorder, view->input);
	status = view->launched && view->wish ? (int)view->wish : afterwards(view);
	interrupts_end_self();
	return status;
}

static int view_input(const struct viewer_options *options, const struct input_request *request,
		      struct recorder *recorder)
{
	struct input *input;
	struct view *view;
	char error[256];
	int status;

	if (input_open(&input, request, error, sizeof(error)) < 0)
		return viewer_fail("%s", error);
	view = view_new(input, request->where, options->follow && input_is_growing_file(input));
	view->session_wanted = options->session;
	view->recorder = recorder;
	view->launched = options->stream != 0;
	target_output_init(&view->output, recorder ? recorder->output : options->target_output);
	status = first_look(view);
	if (!status)
		status = open_screen(view, options->ready);
	view_free(view);
	return status;
}

static int look(const struct viewer_options *options)
{
	const struct input_request request = {
		.where = options->where, .save = options->save, .follow = options->follow,
		.pipe = options->stream,
	};
	char error[256];

	if (!term_is_there(error, sizeof(error)))
		return viewer_fail("%s", error);
	return view_input(options, &request, NULL);
}

/* A running process: memtrack is started, and ended with the viewer. */
static int look_at_process(const struct viewer_options *options)
{
	struct input_request request = { .save = options->save };
	struct recorder recorder;
	char error[256], name[40];
	int status;

	if (!term_is_there(error, sizeof(error)))
		return viewer_fail("%s", error);
	status = recorder_start(&recorder, options->pid);
	if (status) {
		free(recorder.output);
		return status;
	}
	snprintf(name, sizeof(name), "process %llu", (unsigned long long)options->pid);
	request.where = name;
	request.pipe = recorder.trace;
	status = view_input(options, &request, &recorder);
	recorder_stop(&recorder, NULL);		/* if that never came to it */
	free(recorder.output);
	return status;
}

static int show_help(void)
{
	struct buffer text = BUFFER_INIT;

	options_help(&viewer_option_table, &text);
	settings_help(&text);
	fputs(buffer_text(&text), stdout);
	buffer_release(&text);
	return fflush(stdout) ? VIEWER_FAILED : 0;
}

int viewer_main(int argc, char **argv)
{
	struct viewer_options options;
	char *error;
	int status;

	/* Tables of megabytes grow and are cleared by the kernel, without copies that take longer than a
	 * slice: so it is from the start, but malloc gives up on it when the first of them is freed. */
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	setlocale(LC_ALL, "");
	/* Numbers are typed and shown with a point whatever the language. */
	setlocale(LC_NUMERIC, "C");
	if (viewer_options_parse(&options, argc, argv, &error) < 0) {
		status = viewer_fail("%s", error);
		free(error);
		return status;
	}
	if (options.help)
		return show_help();
	if (options.version)
		return puts("memview " VERSION) < 0 || fflush(stdout) ? VIEWER_FAILED : 0;
	if (options.command)
		return recorder_run_command(options.command, options.save);
	if (options.pid)
		return look_at_process(&options);
	return options.report ? batch_report(&options) : look(&options);
}
