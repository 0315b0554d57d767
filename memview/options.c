/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of memview. */
#include "memview/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"

enum {
#define X(id, ...) VIEWER_##id,
	MEMVIEW_OPTIONS(X)
#undef X
	VIEWER_COUNT,
};

static const struct option_row rows[] = { MEMVIEW_OPTIONS(OPTION_ROW) };

const struct option_table viewer_option_table = {
	.program = "memview",
	.usage = "[OPTIONS] FILE\n-f FILE|-\n[-o FILE] [HOST]:PORT\n[-o FILE] --pid PID\n[-o FILE] -- COMMAND [ARG...]\n--report FILE|-|[HOST]:PORT",
	.purpose = "Look at where the memory of a program went: a trace or text log of memtrack, finished or live.",
	.rows = rows,
	.count = VIEWER_COUNT,
	.operands = OPTION_OPERANDS_FILES,
};

static bool takes_value(const struct option_row *row)
{
	return row->type != OPTION_FLAG && row->type != OPTION_SWITCH;
}

static bool long_wants_next(const char *name)
{
	size_t length = strlen(name), exact = VIEWER_COUNT;

	if (strchr(name, '='))
		return false;
	for (size_t i = 0; i < VIEWER_COUNT; i++) {
		/* getopt takes unique beginnings of names, so must this. */
		if (strncmp(rows[i].name, name, length) == 0)
			exact = i;
	}
	return exact < VIEWER_COUNT && takes_value(&rows[exact]);
}

static bool short_wants_next(const char *letters)
{
	for (; *letters; letters++) {
		for (size_t i = 0; i < VIEWER_COUNT; i++) {
			if (rows[i].letter == *letters && takes_value(&rows[i]))
				return letters[1] == 0;
		}
	}
	return false;
}

static bool wants_next(const char *argument)
{
	return argument[1] == '-' ? long_wants_next(argument + 2) : short_wants_next(argument + 1);
}

/* Options first, then operands, as people type them in any order.  *command: what stands behind --,
 * or NULL. */
static char **reorder(int argc, char **argv, char ***command)
{
	char **out = xcalloc((size_t)argc + 2, sizeof(*out)), **operands = xcalloc((size_t)argc + 1, sizeof(*out));
	int options = 0, count = 0;
	bool only_operands = false;

	*command = NULL;
	out[options++] = argv[0];
	for (int i = 1; i < argc; i++) {
		if (!only_operands && strcmp(argv[i], "--") == 0) {
			only_operands = true;
			*command = argv + i + 1;
		} else if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
			operands[count++] = argv[i];
		} else {
			out[options++] = argv[i];
			if (!wants_next(argv[i]))
				continue;
			/* Without an argument it must stand last, to be found out. */
			if (++i < argc)
				out[options++] = argv[i];
			else
				count = 0;
		}
	}
	if (only_operands)
		out[options++] = (char *)"--";
	memcpy(out + options, operands, (size_t)count * sizeof(*out));
	free(operands);
	return out;
}

static int read_session(struct viewer_options *options, const char *text, char **error)
{
	options->session = UINT64_MAX;
	if (!text || (parse_number(text, &options->session) == 0 && options->session <= UINT32_MAX))
		return 0;
	*error = xasprintf("--session %s: that is neither the number of a process nor a pid", text);
	return -1;
}

static int check_command(const struct viewer_options *options, int operands, char **error)
{
	size_t count = 0;

	while (options->command[count])
		count++;
	if (!count)
		*error = xasprintf("which command? -- is followed by one that is to be run and shown");
	else if ((size_t)operands > count)
		*error = xasprintf("-- runs a command: leave out what stands before it");
	else if (options->pid || options->report || options->follow)
		*error = xasprintf("-- runs a command and shows it: leave out --%s", options->pid ? "pid" :
				   options->report ? "report" : "follow");
	return *error ? -1 : 0;
}

static int check(const struct viewer_options *options, int operands, char **error)
{
	if (options->help || options->version)
		return 0;
	if (options->command)
		return check_command(options, operands, error);
	if (options->pid && operands)
		*error = xasprintf("--pid traces a running process: leave out %s", options->where);
	else if (options->pid && (options->report || options->follow))
		*error = xasprintf("--pid opens the viewer: leave out --%s", options->report ? "report" : "follow");
	else if (options->pid)
		return 0;
	else if (operands == 0)
		*error = xasprintf("which trace? name a file, - or [HOST]:PORT; memview --help tells more");
	else if (operands > 1)
		*error = xasprintf("one trace at a time: %s is one too many", options->where);
	else if (options->json && !options->report)
		*error = xasprintf("--json is a form of the report: add --report");
	else if (options->follow && options->report)
		*error = xasprintf("--report is made at the end of a trace: leave out --follow");
	return *error ? -1 : 0;
}

int viewer_options_parse(struct viewer_options *options, int argc, char **argv, char **error)
{
	struct option_value values[VIEWER_COUNT];
	char **command, **ordered = reorder(argc, argv, &command);
	int count = 0, operand, err;

	while (ordered[count])
		count++;
	*error = NULL;
	err = options_parse(&viewer_option_table, count, ordered, values, &operand, error);
	if (!err) {
		*options = (struct viewer_options){
			.where = operand < count ? ordered[count - 1] : NULL,
			.save = values[VIEWER_SAVE].text,
			.follow = values[VIEWER_FOLLOW].number,
			.report = values[VIEWER_REPORT].number,
			.help = values[VIEWER_HELP].number,
			.version = values[VIEWER_VERSION].number,
			.top = (unsigned)values[VIEWER_TOP].number,
			.frames = (unsigned)values[VIEWER_FRAMES].number,
			.all = values[VIEWER_ALL].number,
			.json = values[VIEWER_JSON].number,
			.command = values[VIEWER_STREAM].number ? NULL : command,
			.stream = (int)values[VIEWER_STREAM].number,
			.ready = (int)values[VIEWER_READY].number,
			.target_output = values[VIEWER_TARGET_OUTPUT].text,
			.pid = values[VIEWER_PID].number,
			.top_given = values[VIEWER_TOP].source == OPTION_BY_USER,
		};
		err = read_session(options, values[VIEWER_SESSION].text, error);
		err = err ? err : check(options, count - operand, error);
	}
	options_release(&viewer_option_table, values);
	free(ordered);
	return err ? -1 : 0;
}
