/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of options as --help and as a section of a manual page. */
#include "base/options.h"

#include <string.h>

#define HELP_COLUMN	28	/* where the descriptions begin */
#define HELP_WIDTH	80

/* Appends text word by word, lines indented to HELP_COLUMN; column is where it begins. */
static void wrap(struct buffer *out, const char *text, size_t column)
{
	bool first = true;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (!first && column + 1 + word > HELP_WIDTH) {
			buffer_append_char(out, '\n');
			buffer_append_repeat(out, ' ', HELP_COLUMN);
			column = HELP_COLUMN;
		} else if (!first) {
			buffer_append_char(out, ' ');
			column++;
		}
		buffer_append(out, text, word);
		column += word;
		first = false;
		text += word;
		text += strspn(text, " ");
	}
	buffer_append_char(out, '\n');
}

static bool has_default(const struct option_row *row)
{
	return row->fallback && *row->fallback && strcmp(row->fallback, "0");
}

static void help_row(const struct option_row *row, struct buffer *out)
{
	size_t start = out->length, used;
	struct buffer text = BUFFER_INIT;

	if (row->letter)
		buffer_printf(out, "  -%c, --%s", row->letter, row->name);
	else
		buffer_printf(out, "      --%s", row->name);
	if (row->type == OPTION_SWITCH)
		buffer_printf(out, ", --no-%s", row->name);
	if (row->argument && row->type == OPTION_MAYBE)
		buffer_printf(out, "[=%s]", row->argument);
	else if (row->argument)
		buffer_printf(out, "=%s", row->argument);
	used = out->length - start;
	if (used + 2 > HELP_COLUMN) {
		buffer_append_char(out, '\n');
		used = 0;
	}
	buffer_append_repeat(out, ' ', HELP_COLUMN - used);
	buffer_append_string(&text, row->help);
	if (has_default(row))
		buffer_printf(&text, " (default: %s)", row->fallback);
	wrap(out, buffer_text(&text), HELP_COLUMN);
	buffer_release(&text);
}

void options_help(const struct option_table *table, struct buffer *out)
{
	const char *line = table->usage;
	const char *lead = "Usage:";

	for (; *line; lead = "      ") {
		size_t length = strcspn(line, "\n");

		buffer_printf(out, "%s %s %.*s\n", lead, table->program, (int)length, line);
		line += length + (line[length] == '\n');
	}
	if (table->purpose)
		buffer_printf(out, "%s\n", table->purpose);
	buffer_append_string(out, "\nOptions:\n");
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].help)
			help_row(&table->rows[i], out);
	}
}

/* Text for groff: hyphens are minus signs (they get copied into shells), no control lines. */
static void man_text(struct buffer *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		buffer_append_string(out, "\\&");
	for (; *text; text++) {
		if (*text == '-')
			buffer_append_string(out, "\\-");
		else if (*text == '\\')
			buffer_append_string(out, "\\e");
		else
			buffer_append_char(out, *text);
	}
}

static void man_bold(struct buffer *out, const char *before, const char *text)
{
	buffer_append_string(out, "\\fB");
	man_text(out, before);
	man_text(out, text);
	buffer_append_string(out, "\\fR");
}

static void man_argument(struct buffer *out, const struct option_row *row)
{
	const char *style = row->type == OPTION_CHOICE || row->type == OPTION_MAYBE ? "\\fB" : "\\fI";

	if (!row->argument)
		return;
	buffer_append_string(out, row->type == OPTION_MAYBE ? "[=" : "=");
	buffer_append_string(out, style);
	man_text(out, row->argument);
	buffer_append_string(out, row->type == OPTION_MAYBE ? "\\fR]" : "\\fR");
}

static void man_row(const struct option_row *row, struct buffer *out)
{
	char letter[2] = { row->letter, '\0' };

	buffer_append_string(out, ".TP\n");
	if (row->letter) {
		man_bold(out, "-", letter);
		buffer_append_string(out, ", ");
	}
	man_bold(out, "--", row->name);
	if (row->type == OPTION_SWITCH) {
		buffer_append_string(out, ", ");
		man_bold(out, "--no-", row->name);
	}
	man_argument(out, row);
	buffer_append_char(out, '\n');
	buffer_append_char(out, row->help[0] >= 'a' && row->help[0] <= 'z' ? row->help[0] - 32 :
									    row->help[0]);
	man_text(out, row->help + 1);
	buffer_append_string(out, ".\n");
	if (has_default(row)) {
		buffer_append_string(out, "The default is ");
		man_bold(out, "", row->fallback);
		buffer_append_string(out, ".\n");
	}
	if (row->environment) {
		buffer_append_string(out, "Variable: ");
		man_bold(out, "", row->environment);
		buffer_append_string(out, ".\n");
	}
}

void options_man(const struct option_table *table, struct buffer *out)
{
	buffer_append_string(out, ".SH OPTIONS\n");
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].help)
			man_row(&table->rows[i], out);
	}
}
