/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the settings table to struct launch. */
#include "launcher/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/options.h"
#include "config.h"
#include "launcher/say.h"
#include "trace/settings.h"

static const struct option_row rows[] = { TRACE_SETTINGS(SETTING_ROW) };

static const struct option_table table = {
	.program = "memtrack",
	.usage = "[OPTIONS] [--] COMMAND [ARG...]\n[OPTIONS] --pid PID [attach]\n--pid PID detach|status|pause|resume|snapshot|mark [NAME]",
	.purpose = "Record every allocation of COMMAND, or of a running process, with thread, call stack and time.",
	.rows = rows, .count = SETTING_COUNT, .operands = OPTION_OPERANDS_COMMAND,
};

#define SECONDS_MAX	1e9
#define CHUNKS_LEAST	4u	/* one being written, one being read, and air */
#define WAKE_SHARE	8u	/* the drain is woken when an eighth of a thread's share is full */

static void set_buffers(struct channel_settings *s, uint64_t bytes)
{
	uint64_t chunks = (bytes + CHANNEL_CHUNK_BYTES - 1) / CHANNEL_CHUNK_BYTES;

	s->thread_chunks = chunks < CHUNKS_LEAST ? CHUNKS_LEAST : (uint32_t)chunks;
	s->wake_chunks = s->thread_chunks / WAKE_SHARE ? s->thread_chunks / WAKE_SHARE : 1;
}

static void set_list(char *list, const struct option_value *value)
{
	if (value->text)
		snprintf(list, CHANNEL_LIST_MAX, "%s", value->text);	/* the table bounds it */
}

static void set_channel(struct channel_settings *s, const struct option_value *v)
{
	s->stack_depth = (uint32_t)v[SETTING_STACK_DEPTH].number;
	s->free_stacks = v[SETTING_FREE_STACKS].number != 0;
	s->follow = v[SETTING_FOLLOW].number != 0;
	s->drop = v[SETTING_DROP].number != 0;
	s->findings = v[SETTING_FINDINGS].number != 0;
	s->min_size = v[SETTING_MIN_SIZE].number;
	s->sample = v[SETTING_SAMPLE].number;
	set_buffers(s, v[SETTING_BUFFER_SIZE].number);
	set_list(s->stack_threads, &v[SETTING_STACK_THREADS]);
	set_list(s->track_threads, &v[SETTING_TRACK_THREADS]);
}

static enum launch_report report_wish(const struct option_value *value)
{
	if (value->source < OPTION_BY_ENVIRONMENT)
		return REPORT_AUTO;
	return value->number ? REPORT_YES : REPORT_NO;
}

static char *described(int operand, char **argv)
{
	struct buffer b = BUFFER_INIT;

	for (int i = 1; i < operand; i++) {
		if (i > 1)
			buffer_append_char(&b, ' ');
		buffer_append_string(&b, argv[i]);
	}
	return buffer_detach(&b);
}

static void set_launch(struct launch *l, const struct option_value *v)
{
	memset(l, 0, sizeof(*l));
	l->output = v[SETTING_OUTPUT].text;
	l->text = v[SETTING_FORMAT].number == 1;
	l->port = v[SETTING_PORT].text;
	l->no_wait = v[SETTING_NO_WAIT].number != 0;
	l->view = v[SETTING_VIEW].number != 0;
	l->follow = v[SETTING_FOLLOW].number != 0;
	l->report = report_wish(&v[SETTING_REPORT]);
	l->rss_interval_ms = (unsigned)v[SETTING_RSS_INTERVAL].number;
	l->symbols_from = v[SETTING_SYMBOLS_FROM].text;
	l->symbol_cache = v[SETTING_SYMBOL_CACHE].number != 0;
	l->pid = (pid_t)v[SETTING_PID].number;
	l->inject = (enum launch_inject)v[SETTING_INJECT].number;
	set_channel(&l->settings, v);
	if (v[SETTING_QUIET].number)
		say_set_level(-1);
	else if (v[SETTING_VERBOSE].number)
		say_set_level(1);
}

/* "1.5": seconds.  0 when it is none, or not above 0. */
static uint64_t parse_seconds(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!*text || *end || !isfinite(seconds) || seconds <= 0 || seconds > SECONDS_MAX)
		return 0;
	return seconds * 1e9 < 1 ? 1 : (uint64_t)(seconds * 1e9);
}

/* With --pid a fork child's region would be claimed by a hook that has no socket to tell of an exec. */
static const char *attach_conflict(struct launch *l, const struct option_value *v)
{
	const struct option_value *duration = &v[SETTING_DURATION];

	if (!l->pid && duration->source == OPTION_BY_USER)
		return "--duration belongs to --pid; a command is traced until it ends";
	if (!l->pid && v[SETTING_INJECT].source == OPTION_BY_USER)
		return "--inject belongs to --pid; a command gets the hook as it starts";
	if (!l->pid)
		return NULL;
	if (l->follow && v[SETTING_FOLLOW].source == OPTION_BY_USER)
		return "--follow is not possible with --pid; attach to each child by a memtrack of its own, or start the program under memtrack -f";
	if (l->view && v[SETTING_VIEW].source == OPTION_BY_USER)
		return "--view belongs to a command; memview --pid PID shows a running process";
	if (v[SETTING_METHOD].source == OPTION_BY_USER && v[SETTING_METHOD].number)
		return "--method preload is not possible with --pid; --inject says how the hook gets in, or start the program under memtrack";
	l->follow = false;
	l->settings.follow = 0;
	l->view = false;
	l->duration_ns = duration->text ? parse_seconds(duration->text) : 0;
	if (duration->text && !l->duration_ns)
		return duration->source == OPTION_BY_USER ? "--duration takes seconds above 0, such as 10 or 0.5" :
			"MEMTRACK_DURATION is a number of seconds above 0, such as 10 or 0.5";
	return NULL;
}

/* What cannot be had together, in one line; NULL: all is well. */
static const char *conflict(const struct launch *l, const struct option_value *v)
{
	if (v[SETTING_QUIET].number && v[SETTING_VERBOSE].number)
		return "--quiet and --verbose exclude each other; give one of them";
	if (l->no_wait && !l->port && v[SETTING_NO_WAIT].source == OPTION_BY_USER)
		return "--no-wait means nothing without --port; leave it away";
	if (l->follow && l->text && (l->port || (l->output && strcmp(l->output, "-") == 0)))
		return "--follow with --format text needs a file for each process; give -o FILE and no --port";
	if (l->view && l->output && strcmp(l->output, "-") == 0)
		return "--view and -o - exclude each other; give -o FILE, or nothing";
	if (l->port && l->output && strcmp(l->output, "-") == 0)
		return "--port and -o - exclude each other; give -o FILE to keep a copy";
	return NULL;
}

static void show_help(uint64_t kind)
{
	struct buffer b = BUFFER_INIT;

	if (kind == 1)
		options_man(&table, &b);
	else if (kind == 2)
		options_completion(&table, &b);
	else
		options_help(&table, &b);
	fwrite(buffer_text(&b), 1, b.length, stdout);
	buffer_release(&b);
}

static int show_information(const struct option_value *v)
{
	if (v[SETTING_HELP].source == OPTION_BY_USER)
		show_help(v[SETTING_HELP].number);
	else
		printf("memtrack %s\n", PACKAGE_VERSION);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	say_error("cannot write to stdout");
	return EXIT_FAILED;
}

static const struct verb_row {
	const char *word;
	enum launch_verb verb;
	const char *missing;		/* why it cannot be done */
} verbs[] = {
	{ "attach", VERB_ATTACH, NULL },
	{ "detach", VERB_DETACH, NULL },
	{ "status", VERB_STATUS, NULL },
	{ "pause", VERB_ORDER, NULL },
	{ "resume", VERB_ORDER, NULL },
	{ "snapshot", VERB_ORDER, NULL },
	{ "mark", VERB_ORDER, NULL },
	{ "leaks", VERB_RUN, "leaks is not built yet; with --pid there are attach, detach, status, pause, resume, snapshot and mark" },
};

static const char *unknown_verb(const char *word)
{
	if (word[strspn(word, "0123456789")] == '\0')
		return "--pid takes one process; run a memtrack for each";
	return "--pid is followed by nothing, attach, detach, status, pause, resume, snapshot or mark; a command is run without --pid";
}

/* NULL, or what is wrong with the words. */
static const char *read_order(struct launch *l, int count, char **words)
{
	wire_command_parse(*words, strlen(*words), &l->order);
	if (l->order.kind == WIRE_MARK && count == 2) {
		wire_command_name(&l->order, words[1]);
		return NULL;
	}
	return count == 1 ? NULL : l->order.kind == WIRE_MARK ? "mark takes one name; put it into quotes if it has blanks" :
		"nothing may follow pause, resume or snapshot";
}

/* Operands behind --pid PID.  NULL, or what is wrong with them. */
static const char *read_verb(struct launch *l, int argc, char **argv, int operand)
{
	l->verb = VERB_ATTACH;
	if (operand >= argc)
		return NULL;
	if (strcmp(argv[operand - 1], "--") == 0)
		return "--pid and a command exclude each other";
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(argv[operand], verbs[i].word))
			continue;
		if (verbs[i].missing)
			return verbs[i].missing;
		l->verb = verbs[i].verb;
		if (l->verb == VERB_ORDER)
			return read_order(l, argc - operand, argv + operand);
		return operand + 1 < argc ? "nothing may follow attach, detach or status" : NULL;
	}
	return unknown_verb(argv[operand]);
}

static const char *read_operands(struct launch *l, int argc, char **argv, int operand)
{
	l->command = argv + operand;
	if (!l->pid)
		return operand < argc ? NULL : "no command to run; see memtrack --help";
	l->command = argv + argc;
	return read_verb(l, argc, argv, operand);
}

bool options_read(int argc, char **argv, struct launch *launch, int *status)
{
	struct option_value values[SETTING_COUNT];
	const char *wrong = NULL;
	char *error = NULL;
	bool run = false;
	int operand;

	*status = EXIT_FAILED;
	if (options_parse(&table, argc, argv, values, &operand, &error)) {
		say_error("%s", error);
		free(error);
	} else if (values[SETTING_HELP].source == OPTION_BY_USER || values[SETTING_VERSION].number) {
		*status = show_information(values);
	} else {
		set_launch(launch, values);
		wrong = attach_conflict(launch, values);
		if (!wrong)
			wrong = conflict(launch, values);
		if (!wrong)
			wrong = read_operands(launch, argc, argv, operand);
		if (wrong)
			say_error("%s", wrong);
		run = !wrong;
	}
	if (run)
		launch->described = described(operand, argv);
	options_release(&table, values);
	return run;
}
