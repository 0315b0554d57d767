/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/options and the settings table: who wins, where parsing stops, what errors say. */
#include "base/options.h"

#include <errno.h>

#include "tests/tap.h"
#include "trace/settings.h"

static const struct option_row rows[] = { TRACE_SETTINGS(SETTING_ROW) };
static const struct option_table settings = {
	"memtrack", "[OPTIONS] [--] COMMAND [ARG...]", "Record.", rows, SETTING_COUNT,
	OPTION_OPERANDS_COMMAND,
};

static struct option_value values[SETTING_COUNT];
static char error_text[512];
static int operand;

/* Parses "a b c"; the result is in the statics above. */
static int parse(const char *line)
{
	static char copy[256];
	char *argv[32] = { (char *)"memtrack" }, *error;
	int argc = 1, err;

	options_release(&settings, values);
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	err = options_parse(&settings, argc, argv, values, &operand, &error);
	snprintf(error_text, sizeof(error_text), "%s", error ? error : "");
	free(error);
	return err;
}

static void test_values(void)
{
	is_int(parse(""), 0, "nothing given");
	is_int(operand, 1, "no operand");
	ok(values[SETTING_STACK_DEPTH].number == 64 &&
	   values[SETTING_STACK_DEPTH].source == OPTION_BY_DEFAULT, "a default");
	ok(values[SETTING_OUTPUT].source == OPTION_UNSET && !values[SETTING_OUTPUT].text, "unset");
	is_int(values[SETTING_BUFFER_SIZE].number, 4 << 20, "a size by default");
	is_int(parse("-fd3 -o out --min-size=2K --format text ls -d 9 --drop"), 0, "options, command");
	ok(values[SETTING_FOLLOW].number && values[SETTING_STACK_DEPTH].number == 3 &&
	   !strcmp(values[SETTING_OUTPUT].text, "out") && values[SETTING_MIN_SIZE].number == 2048 &&
	   values[SETTING_FORMAT].number == 1, "all have their values");
	is_int(operand, 7, "parsing stops at the command");
	is_int(values[SETTING_DROP].number, 0, "the command's options are its own");
	is_int(parse("-f -- -f"), 0, "two dashes");
	is_int(operand, 3, "end the options");
	parse("--report --no-report");
	ok(values[SETTING_REPORT].source == OPTION_BY_USER && !values[SETTING_REPORT].number,
	   "a switch can be taken back");
	parse("--stack-d 5");
	is_int(values[SETTING_STACK_DEPTH].number, 5, "a name may be cut when it is clear");
	parse("--help");
	ok(values[SETTING_HELP].source && values[SETTING_HELP].number == 0, "help");
	parse("--help=bash");
	is_int(values[SETTING_HELP].number, 2, "help with a value");
}

static void test_environment(void)
{
	setenv("MEMTRACK_STACK_DEPTH", "12", 1);
	setenv("MEMTRACK_DROP", "yes", 1);
	setenv("MEMTRACK_OUTPUT", "", 1);
	parse("");
	ok(values[SETTING_STACK_DEPTH].number == 12 &&
	   values[SETTING_STACK_DEPTH].source == OPTION_BY_ENVIRONMENT, "a variable wins over a default");
	is_int(values[SETTING_DROP].number, 1, "a flag as a variable");
	is_int(values[SETTING_OUTPUT].source, OPTION_UNSET, "an empty variable is none");
	parse("-d 7");
	is_int(values[SETTING_STACK_DEPTH].number, 7, "the command line wins over a variable");
	setenv("MEMTRACK_DROP", "perhaps", 1);
	ok(parse("") == -EINVAL && strstr(error_text, "MEMTRACK_DROP") && strstr(error_text, "perhaps"),
	   "a bad variable is named");
	unsetenv("MEMTRACK_STACK_DEPTH");
	unsetenv("MEMTRACK_DROP");
	unsetenv("MEMTRACK_OUTPUT");
}

static void test_errors(void)
{
	static const struct {
		const char *line, *names, *remedy;
	} cases[] = {
		{ "--fomat x", "--fomat", "--format" },
		{ "--zzzzzzzz", "--zzzzzzzz", "memtrack --help" },
		{ "-x", "-x", "memtrack --help" },
		{ "--stack 3", "--stack", "--stack-depth or --stack-threads" },
		{ "-d", "--stack-depth", "give N" },
		{ "--stack-depth", "--stack-depth", "give N" },
		{ "-d 257", "'257'", "from 0 to 256" },
		{ "-d x", "'x'", "from 0 to 256" },
		{ "--min-size 4q", "'4q'", "64K" },
		{ "--buffer-size 1T", "'1T'", "64.0 MiB" },
		{ "--format=csv", "'csv'", "mtk|text" },
		{ "--drop=1", "--drop", "takes no value" },
		{ "--no-report=1", "--no-report", "takes no value" },
		{ "--output=", "--output", "FILE" },
		{ "--help=html", "'html'", "text|man|bash" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err = parse(cases[i].line);

		if (!ok(err == -EINVAL && strstr(error_text, cases[i].names) &&
			strstr(error_text, cases[i].remedy) && !strchr(error_text, '\n'),
			"'%s' is answered with the remedy", cases[i].line))
			printf("# %s\n", error_text);
	}
}

static void test_list(void)
{
	static const struct option_row one[] = {
		OPTION_ROW(ALLOC, "alloc", 0, LIST, 1, 0, NULL, "SPEC", "TEST_ALLOC", "declare")
	};
	const struct option_table table = { "x", "", NULL, one, 1, OPTION_OPERANDS_FILES };
	static const char *const words[] = { "x", "--alloc", "a", "--alloc=b", "file" };
	char **argv = (char **)words, *error;
	struct option_value value;

	setenv("TEST_ALLOC", "env", 1);
	is_int(options_parse(&table, 5, argv, &value, &operand, &error), 0, "a repeatable option");
	ok(value.list_count == 2 && !strcmp(value.list[0], "a") && !strcmp(value.list[1], "b"),
	   "keeps all values in order, and the variable's no more");
	options_release(&table, &value);
	is_int(options_parse(&table, 1, argv, &value, &operand, &error), 0, "from the environment");
	ok(value.list_count == 1 && !strcmp(value.list[0], "env"), "is one value");
	options_release(&table, &value);
}

static void test_papers(void)
{
	struct buffer help = BUFFER_INIT, man = BUFFER_INIT, bash = BUFFER_INIT;
	int good = 1, width = 0;
	FILE *checker;

	options_help(&settings, &help);
	options_man(&settings, &man);
	options_completion(&settings, &bash);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		good &= strstr(buffer_text(&help), rows[i].name) != NULL;
		good &= strstr(buffer_text(&bash), rows[i].name) != NULL;
		good &= !rows[i].environment || strstr(buffer_text(&man), rows[i].environment);
	}
	ok(good, "help, manual and completion name every row");
	for (const char *c = buffer_text(&help), *line = c; *c; c++) {
		if (*c == '\n') {
			width = c - line > width ? (int)(c - line) : width;
			line = c + 1;
		}
	}
	ok(width <= 80, "help fits into 80 columns (%d)", width);
	checker = popen("bash -n 2>&1", "w");
	if (checker) {
		fputs(buffer_text(&bash), checker);
		is_int(pclose(checker), 0, "bash accepts the completion");
	}
	buffer_release(&help);
	buffer_release(&man);
	buffer_release(&bash);
}

/* What bash offers for a line whose last word is being typed. */
static const char completion_checks[] =
	"check() { want=$1; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _memtrack\n"
	"[[ ${COMPREPLY[*]} == $want ]] || { echo \"# $*: ${COMPREPLY[*]}\"; bad=1; } }\n"
	"check --drop memtrack --dr\n"
	"check text memtrack --format te\n"
	"check text memtrack --format = te\n"
	"check 'mtk text' memtrack --format =\n"
	"check 'text man bash' memtrack --help =\n"
	"check '--stack-depth --stack-threads' memtrack -f -o x --stack-\n"
	"check '' memtrack -o x ls --dr\n"
	"check '' memtrack -- ls --dr\n"
	"exit ${bad:-0}\n";

static void test_completion(void)
{
	struct buffer bash = BUFFER_INIT;
	FILE *shell;

	if (system("bash --norc -c 'type compgen' >/dev/null 2>&1")) {
		skip(1, "no bash with completion here");
		return;
	}
	options_completion(&settings, &bash);
	shell = popen("bash --norc", "w");
	if (shell) {
		fprintf(shell, "%s%s", buffer_text(&bash), completion_checks);
		is_int(pclose(shell), 0, "bash completes as it should");
	}
	buffer_release(&bash);
}

int main(void)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (rows[i].environment)
			unsetenv(rows[i].environment);
	}
	test_values();
	test_environment();
	test_errors();
	test_list();
	test_papers();
	test_completion();
	options_release(&settings, values);
	return done_testing();
}
