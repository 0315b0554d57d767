/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of the config file. */
#include "memview/settings.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "memview/actions.h"
#include "memview/key_names.h"

#define WORDS_MAX 16
#define PROBLEMS_MAX 20	/* that are spelled out */

/* What a line is about, and where it stands. */
struct line {
	struct settings *settings;
	const char *path;
	size_t number;
	char *words[WORDS_MAX];
	size_t count;
};

static const char *const style_names[] = {
#define X(id, c256, c8, attributes) #id,
	TERM_STYLES(X)
#undef X
};

static const char *const colour_names[] = {
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright-black", "bright-red",
	"bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white",
};

static const struct {
	const char *name;
	char letter;
} attribute_names[] = { { "bold", 'b' }, { "dim", 'd' }, { "reverse", 'r' }, { "underline", 'u' } };

static bool wrong(const struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says what is wrong with the line; always false. */
static bool wrong(const struct line *line, const char *format, ...)
{
	struct buffer *out = &line->settings->problems;
	va_list args;
	char *text;

	if (++line->settings->problem_count > PROBLEMS_MAX)
		return false;
	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	text_sanitise(out, line->path, strlen(line->path));
	buffer_printf(out, ":%zu: ", line->number);
	text_sanitise(out, text, strlen(text));
	buffer_append_char(out, '\n');
	free(text);
	return false;
}

static bool do_key(const struct line *line)
{
	enum action action = line->count > 1 ? actions_named(line->words[1]) : ACTION_NONE;
	int codes[ACTION_KEYS_MAX];
	size_t count = 0;

	if (line->count < 3 || strcmp(line->words[2], "=") != 0)
		return wrong(line, "want: key ACTION = KEY...");
	if (action == ACTION_NONE)
		return wrong(line, "there is no action \"%s\" (memview --help lists them)", line->words[1]);
	if (line->count - 3 > ACTION_KEYS_MAX)
		return wrong(line, "an action has at most %d keys", ACTION_KEYS_MAX);
	if (line->count == 3 && action == ACTION_QUIT)
		return wrong(line, "quit needs a key");
	for (size_t i = 3; i < line->count; i++) {
		codes[count] = key_named(line->words[i]);
		if (codes[count++] == KEYS_NONE)
			return wrong(line, "there is no key \"%s\"", line->words[i]);
	}
	if (actions_takes_all(ACTION_QUIT, action, codes, count))
		return wrong(line, "that would leave no key to quit");
	actions_bind(action, codes, count);
	return true;
}

/* -1 is the terminal's own; false: no colour. */
static bool find_colour(const char *name, short *colour)
{
	uint64_t number;

	if (strcasecmp(name, "default") == 0) {
		*colour = -1;
		return true;
	}
	for (size_t i = 0; i < sizeof(colour_names) / sizeof(colour_names[0]); i++) {
		if (strcasecmp(colour_names[i], name) == 0) {
			*colour = (short)i;
			return true;
		}
	}
	if (parse_number(name, &number) < 0 || number > 255)
		return false;
	*colour = (short)number;
	return true;
}

static bool add_attribute(struct term_look *look, const char *name)
{
	size_t length = strlen(look->attributes);

	for (size_t i = 0; i < sizeof(attribute_names) / sizeof(attribute_names[0]); i++) {
		if (strcasecmp(attribute_names[i].name, name) != 0)
			continue;
		if (!strchr(look->attributes, attribute_names[i].letter) && length < sizeof(look->attributes) - 1)
			look->attributes[length] = attribute_names[i].letter;
		return true;
	}
	return false;
}

static int find_style(const char *name)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		if (strcasecmp(style_names[i], name) == 0)
			return i;
	}
	return -1;
}

/* FRONT [on BACK] [bold] [dim] [reverse] [underline] */
static bool read_look(const struct line *line, struct term_look *look)
{
	size_t i = 4;

	*look = (struct term_look){ .given = true, .back = -1 };
	if (!find_colour(line->words[3], &look->front))
		return wrong(line, "there is no colour \"%s\"", line->words[3]);
	if (i < line->count && strcasecmp(line->words[i], "on") == 0) {
		if (i + 1 == line->count || !find_colour(line->words[i + 1], &look->back))
			return wrong(line, "there is no colour \"%s\"",
				     i + 1 < line->count ? line->words[i + 1] : "");
		i += 2;
	}
	for (; i < line->count; i++) {
		if (!add_attribute(look, line->words[i]))
			return wrong(line, "\"%s\" is not bold, dim, reverse or underline", line->words[i]);
	}
	return true;
}

static bool do_colour(const struct line *line)
{
	int style = line->count > 1 ? find_style(line->words[1]) : -1;
	struct term_look look;

	if (line->count < 4 || strcmp(line->words[2], "=") != 0)
		return wrong(line, "want: color STYLE = COLOR [on COLOR] [bold]");
	if (style < 0)
		return wrong(line, "there is no style \"%s\" (memview --help lists them)", line->words[1]);
	if (!read_look(line, &look))
		return false;
	line->settings->terminal.looks[style] = look;
	return true;
}

static bool do_mouse(const struct line *line)
{
	bool formed = line->count == 3 && strcmp(line->words[1], "=") == 0;
	bool on = formed && strcasecmp(line->words[2], "on") == 0;

	if (!on && !(formed && strcasecmp(line->words[2], "off") == 0))
		return wrong(line, "want: mouse = on or mouse = off");
	line->settings->terminal.mouse = on;
	return true;
}

static void do_line(const struct line *line)
{
	const char *what = line->count ? line->words[0] : "#";

	if (what[0] == '#')
		return;
	if (strcmp(what, "key") == 0)
		do_key(line);
	else if (strcmp(what, "color") == 0 || strcmp(what, "colour") == 0)
		do_colour(line);
	else if (strcmp(what, "mouse") == 0)
		do_mouse(line);
	else
		wrong(line, "\"%s\" is not key, color or mouse", what);
}

/* Words are parted by blanks; the first = parts without any, so that one can be a key, too. */
static void split(struct line *line, char *text)
{
	bool seen = false;

	line->count = 0;
	while (line->count < WORDS_MAX) {
		while (isspace((unsigned char)*text))
			*text++ = 0;
		if (!*text)
			return;
		if (*text == '=' && !seen) {
			static char equals[] = "=";

			*text++ = 0;
			line->words[line->count++] = equals;
			seen = true;
			continue;
		}
		line->words[line->count++] = text;
		while (*text && !isspace((unsigned char)*text) && (seen || *text != '='))
			text++;
	}
}

void settings_parse(struct settings *settings, const char *path, const char *text, size_t length)
{
	struct line line = { .settings = settings, .path = path };

	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t used = end ? (size_t)(end - text) : length;
		char *copy = xasprintf("%.*s", (int)used, text);

		line.number++;
		split(&line, copy);
		do_line(&line);
		free(copy);
		used += end != NULL;
		text += used;
		length -= used;
	}
	if (settings->problem_count > PROBLEMS_MAX)
		buffer_printf(&settings->problems, "and %zu more\n", settings->problem_count - PROBLEMS_MAX);
}

static void lower(struct buffer *out, const char *name)
{
	for (; *name; name++)
		buffer_append_char(out, (char)tolower((unsigned char)*name));
}

void settings_help(struct buffer *out)
{
	int count;
	const struct action_row *rows = actions_table(&count);
	char name[ACTION_NAME_MAX];

	buffer_append_string(out, "\nKeys, by the names of their actions:\n");
	for (int i = 0; i < count; i++) {
		actions_name(&rows[i], name);
		buffer_printf(out, "  %-14s %-14s %s\n", name, rows[i].keys, rows[i].help);
	}
	buffer_append_string(out, "\n~/.config/memview/config may hold lines such as\n"
			     "  key ACTION = KEY...                    key search = / Ctrl-f\n"
			     "  color STYLE = COLOR [on COLOR] [bold]  color leak = 196 on default bold\n"
			     "  mouse = off\nStyles:");
	for (int i = 0; i < STYLE_COUNT; i++) {
		buffer_append_char(out, ' ');
		lower(out, style_names[i]);
	}
	buffer_append_string(out, "\nColors: default");
	for (size_t i = 0; i < 8; i++)
		buffer_printf(out, " %s", colour_names[i]);
	buffer_append_string(out, ", bright- of these, 0 to 255\n");
}
