/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of options as a bash completion script. */
#include "base/options.h"

#include <string.h>

/* bash breaks words at '=', so "--format=te" arrives as three words. */
static const char prologue[] =
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i=1 equals=\n"
	"\n"
	"\tif [[ $cur == '=' ]]; then\n"
	"\t\tcur= equals=1\n"
	"\telif [[ $prev == '=' && COMP_CWORD -ge 2 ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]} equals=1\n"
	"\tfi\n"
	"\tCOMPREPLY=()\n";

/* Calls the command's own completion once it is there. */
static const char find_operand[] =
	"\twhile ((i < COMP_CWORD)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--)\n"
	"\t\t\t((i++))\n"
	"\t\t\tbreak ;;\n";

static const char find_operand_end[] =
	"\t\t\t[[ ${COMP_WORDS[i+1]} == '=' ]] && ((i++))\n"
	"\t\t\t((i += 2)) ;;\n"
	"\t\t-*|=)\n"
	"\t\t\t[[ ${COMP_WORDS[i+1]} == '=' ]] && ((i += 2))\n"
	"\t\t\t((i++)) ;;\n"
	"\t\t*)\n"
	"\t\t\tbreak ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif ((i < COMP_CWORD)) || [[ ${COMP_WORDS[i-1]} == -- && i -eq COMP_CWORD ]]; then\n"
	"\t\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset $i\n"
	"\t\telif ((i == COMP_CWORD)); then\n"
	"\t\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	"\t\tfi\n"
	"\t\treturn\n"
	"\tfi\n";

static bool wants_value(const struct option_row *row)
{
	return row->help && row->argument && row->type != OPTION_MAYBE;
}

/* "-o|--output" */
static void names(const struct option_row *row, struct buffer *out)
{
	if (row->letter)
		buffer_printf(out, "-%c|", row->letter);
	buffer_printf(out, "--%s", row->name);
}

static void value_patterns(const struct option_table *table, struct buffer *out)
{
	const char *bar = "\t\t";

	for (size_t i = 0; i < table->count; i++) {
		if (!wants_value(&table->rows[i]))
			continue;
		buffer_append_string(out, bar);
		names(&table->rows[i], out);
		bar = "|";
	}
	buffer_append_string(out, *bar == '|' ? ")\n" : "\t\t'')\n");
}

static void value_case(const struct option_row *row, struct buffer *out)
{
	buffer_append_string(out, "\t");
	names(row, out);
	buffer_append_string(out, ")\n");
	if (row->type == OPTION_CHOICE || row->type == OPTION_MAYBE) {
		buffer_append_string(out, "\t\tCOMPREPLY=($(compgen -W '");
		for (const char *c = row->argument; *c; c++)
			buffer_append_char(out, *c == '|' ? ' ' : *c);
		buffer_append_string(out, "' -- \"$cur\"))\n");
	} else if (strstr(row->argument, "FILE")) {
		buffer_append_string(out, "\t\tcompopt -o filenames 2>/dev/null\n"
					  "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n");
	} else if (strstr(row->argument, "DIR")) {
		buffer_append_string(out, "\t\tcompopt -o filenames 2>/dev/null\n"
					  "\t\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n");
	}
	/* Without '=' the word behind belongs to somebody else. */
	buffer_append_string(out, row->type == OPTION_MAYBE ? "\t\t[[ $equals ]] && return\n"
							      "\t\tCOMPREPLY=() ;;\n" :
							      "\t\treturn ;;\n");
}

static void value_cases(const struct option_table *table, struct buffer *out)
{
	buffer_append_string(out, "\tcase $prev in\n");
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].help && table->rows[i].argument)
			value_case(&table->rows[i], out);
	}
	buffer_append_string(out, "\tesac\n");
}

static void option_words(const struct option_table *table, struct buffer *out)
{
	buffer_append_string(out, "\tif [[ $cur == -* ]]; then\n"
				  "\t\tCOMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];

		if (!row->help)
			continue;
		if (row->letter)
			buffer_printf(out, "-%c ", row->letter);
		buffer_printf(out, "--%s ", row->name);
		if (row->type == OPTION_SWITCH)
			buffer_printf(out, "--no-%s ", row->name);
	}
	buffer_append_string(out, "' -- \"$cur\"))\n\t\treturn\n\tfi\n");
}

void options_completion(const struct option_table *table, struct buffer *out)
{
	bool command = table->operands == OPTION_OPERANDS_COMMAND;

	buffer_printf(out, "# bash completion for %s; made by %s --help=bash\n\n_%s()\n",
		      table->program, table->program, table->program);
	buffer_append_string(out, prologue);
	if (command) {
		buffer_append_string(out, find_operand);
		value_patterns(table, out);
		buffer_append_string(out, find_operand_end);
	}
	value_cases(table, out);
	option_words(table, out);
	if (command)
		buffer_append_string(out, "\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n");
	else
		buffer_append_string(out, "\tcompopt -o filenames 2>/dev/null\n"
					  "\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n");
	buffer_printf(out, "} &&\ncomplete -o bashdefault -o default -F _%s %s\n",
		      table->program, table->program);
}
