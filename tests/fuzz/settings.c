/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings parser: command lines and variables of memtrack and memview.
 *
 * The input is words, each ended by a NUL.  The first byte chooses the program; words like
 * MEMTRACK_X=y are put into the environment, the others are arguments. */
#include "tests/fuzz/target.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/options.h"
#include "base/units.h"
#include "launcher/options.h"
#include "launcher/output.h"
#include "launcher/launch.h"
#include "trace/settings.h"

#define WORDS_MAX	64

enum { RUNS, REFUSED, VARIABLES, OUTPUTS, LISTS, SIZES, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[RUNS] = { "a command to run", 0 }, [REFUSED] = { "a command line that is refused", 0 },
	[VARIABLES] = { "variables that are taken", 0 }, [OUTPUTS] = { "names of outputs", 0 },
	[LISTS] = { "lists of threads", 0 }, [SIZES] = { "sizes", 0 },
};

/* Messages are made, and go nowhere. */
static void start(void)
{
	stderr = fopen("/dev/null", "w");
	fuzz_rule(stderr != NULL);
}

/* The settings that the hook gets are within what the table says. */
static void check_launch(const struct launch *l)
{
	fuzz_rule(l->command && l->command[0]);
	fuzz_rule(l->settings.stack_depth <= 256 && l->settings.thread_chunks >= 1 && l->settings.wake_chunks >= 1);
	fuzz_rule(l->settings.wake_chunks <= l->settings.thread_chunks);
	fuzz_rule(memchr(l->settings.stack_threads, 0, CHANNEL_LIST_MAX) != NULL);
	fuzz_rule(memchr(l->settings.track_threads, 0, CHANNEL_LIST_MAX) != NULL);
	fuzz_rule(l->rss_interval_ms <= 3600000);
	marks[LISTS].count += *l->settings.track_threads != 0;
}

static void expand(const char *spec, const char *comm)
{
	char *path = output_expand(spec, false, 42, comm, true);

	fuzz_rule(path && strstr(path, "42"));
	marks[OUTPUTS].count++;
	free(path);
}

static void run_memtrack(int argc, char **argv)
{
	struct launch launch = { 0 };
	int status = 0;

	if (!options_read(argc, argv, &launch, &status)) {
		fuzz_rule(status == 0 || status == EXIT_FAILED);
		marks[REFUSED].count += status != 0;
		return;
	}
	marks[RUNS].count++;
	check_launch(&launch);
	if (launch.output)
		expand(launch.output, launch.command[0]);
	free(launch.described);
}

/* A number as text, and back. */
static void run_numbers(int argc, char **argv)
{
	char text[UNITS_TEXT_MAX];
	uint64_t value;

	for (int i = 1; i < argc; i++) {
		if (parse_size(argv[i], &value) == 0) {
			marks[SIZES].count++;
			fuzz_rule(strlen(format_bytes(text, sizeof(text), value)) < sizeof(text));
			fuzz_rule(strlen(format_duration(text, sizeof(text), value)) < sizeof(text));
			fuzz_rule(strlen(format_count(text, sizeof(text), value)) < sizeof(text));
		}
		if (parse_number(argv[i], &value) == 0)
			format_count(text, 5, value);
		expand(argv[i], argv[argc - 1]);
		expand(NULL, argv[i]);
	}
}

static void clear_variables(void)
{
	static const char *const variables[] = {
#define X(id, name, letter, type, least, most, launched, standalone, argument, variable, help) variable,
		TRACE_SETTINGS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (variables[i])
			unsetenv(variables[i]);
}

static void set_variable(char *word)
{
	char *equals = strchr(word, '=');

	*equals = '\0';
	setenv(word, equals + 1, 1);
	marks[VARIABLES].count++;
}

/* --help and --version write to stdout, which a fuzzer would drown in. */
static int is_talk(const char *word)
{
	return !strncmp(word, "--h", 3) || !strncmp(word, "--vers", 6) ||
	       (word[0] == '-' && word[1] != '-' && strpbrk(word, "hV"));
}

static void run(const uint8_t *data, size_t size)
{
	char *text = xmalloc(size + 1), *argv[WORDS_MAX + 1] = { (char *)"program" };
	int argc = 1;

	memcpy(text, data, size);
	text[size] = '\0';
	clear_variables();
	for (size_t at = size ? 1 : 0; at < size && argc < WORDS_MAX; at += strlen(text + at) + 1) {
		if (!strncmp(text + at, "MEMTRACK_", 9) && strchr(text + at, '='))
			set_variable(text + at);
		else if (!is_talk(text + at))
			argv[argc++] = text + at;
	}
	if (size && data[0] & 1)
		run_numbers(argc, argv);
	else
		run_memtrack(argc, argv);
	free(text);
}

const struct fuzz_target fuzz_settings = { "settings", marks, start, run };
