/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One table of options, and from it: the command line, the environment, --help, a manual page
 * section and a bash completion.
 *
 * A program lists its options as an X-macro, LIST(X), with rows
 *
 *	X(ID, name, letter, TYPE, least, most, fallback, argument, environment, help)
 *
 * and makes its table of it:
 *
 *	static const struct option_row rows[] = { LIST(OPTION_ROW) };
 *
 * so values[i] belongs to row i; ID is for an enum of the same rows.  The command line wins over the environment, which wins over
 * the fallback. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum option_type {
	OPTION_FLAG,		/* present or not; in the environment 1/0, yes/no, on/off, true/false */
	OPTION_SWITCH,		/* a flag with a --no-NAME that takes it back */
	OPTION_NUMBER,		/* least .. most */
	OPTION_SIZE,		/* the same with K, M, G */
	OPTION_STRING,		/* least .. most bytes long; most 0: any */
	OPTION_CHOICE,		/* one word of `argument`, which is "this|that" */
	OPTION_MAYBE,		/* a choice whose =ARGUMENT may be left out: the first word then */
	OPTION_LIST,		/* a string that may be given several times */
};

struct option_row {
	const char *name;	/* long name, without dashes */
	char letter;		/* short form, or 0 */
	enum option_type type;
	uint64_t least, most;
	const char *fallback;	/* the value when nobody gives one; NULL: none */
	const char *argument;	/* how help names the value: "FILE", "N", "mtk|text"; NULL for flags */
	const char *environment; /* variable, or NULL */
	const char *help;	/* one line, no full stop; NULL: the option is not shown */
};

#define OPTION_ROW(id, name, letter, type, least, most, fallback, argument, environment, help) \
	{ name, letter, OPTION_##type, least, most, fallback, argument, environment, help },

enum option_operands {
	OPTION_OPERANDS_FILES,	/* completion offers files */
	OPTION_OPERANDS_COMMAND, /* the operands are a command and its arguments */
};

struct option_table {
	const char *program;	/* "memtrack" */
	const char *usage;	/* lines behind the program's name: "[OPTIONS] COMMAND [ARG...]\n..." */
	const char *purpose;	/* one sentence */
	const struct option_row *rows;
	size_t count;
	enum option_operands operands;
};

enum option_source { OPTION_UNSET, OPTION_BY_DEFAULT, OPTION_BY_ENVIRONMENT, OPTION_BY_USER };

struct option_value {
	enum option_source source;
	uint64_t number;	/* flag: 0 or 1; number, size; choice: index of the word */
	const char *text;	/* as given, never copied; NULL for flags and when unset */
	const char **list;	/* OPTION_LIST: all texts in order; else NULL */
	size_t list_count;
};

/* Reads the environment and argv[1..] up to the first argument that is no option (or behind
 * "--"); *operand is its index, argc if there is none.  argv is not reordered.
 * values has table->count entries, and must be released also after an error.
 * 0, or -EINVAL with *error one line that names the option and the remedy (the caller frees it;
 * no program name in front, no newline). */
int options_parse(const struct option_table *table, int argc, char **argv,
		  struct option_value *values, int *operand, char **error);
void options_release(const struct option_table *table, struct option_value *values);

/* What --help prints. */
void options_help(const struct option_table *table, struct buffer *out);

/* The groff source (man macros) of an OPTIONS section, variables named in place. */
void options_man(const struct option_table *table, struct buffer *out);

/* A bash completion script for the program. */
void options_completion(const struct option_table *table, struct buffer *out);

#endif
