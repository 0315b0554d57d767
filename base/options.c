/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of options turned into values: fallbacks, then the environment, then the command line. */
#include "base/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/units.h"

/* getopt_long values of row i: LONG_BASE + 2 i, and one more for its --no- form. */
#define LONG_BASE	256

struct parse {
	const struct option_table *table;
	struct option_value *values;
	struct option *longs;	/* every name twice as long as the table, for the --no- forms */
	char *letters;
	char **error;
};

static int fail(char **error, char *text)
{
	free(*error);
	*error = text;
	return -EINVAL;
}

static bool takes_argument(const struct option_row *row)
{
	return row->type != OPTION_FLAG && row->type != OPTION_SWITCH;
}

static void make_getopt(struct parse *p)
{
	struct option *to;
	char *letter;

	p->longs = to = xcalloc(2 * p->table->count + 1, sizeof(*p->longs));
	p->letters = letter = xcalloc(3 * p->table->count + 3, 1);
	/* Stop at the first operand; tell a missing argument from an unknown option. */
	*letter++ = '+';
	*letter++ = ':';
	for (size_t i = 0; i < p->table->count; i++) {
		const struct option_row *row = &p->table->rows[i];
		int has = row->type == OPTION_MAYBE ? optional_argument :
			  takes_argument(row) ? required_argument : no_argument;

		*to++ = (struct option){ row->name, has, NULL, LONG_BASE + 2 * (int)i };
		if (row->type == OPTION_SWITCH)
			*to++ = (struct option){ xasprintf("no-%s", row->name), no_argument, NULL,
						 LONG_BASE + 2 * (int)i + 1 };
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && has == required_argument)
			*letter++ = ':';
	}
}

static void free_getopt(struct parse *p)
{
	for (struct option *o = p->longs; o->name; o++) {
		if ((o->val - LONG_BASE) % 2)
			free((char *)o->name);
	}
	free(p->longs);
	free(p->letters);
}

/* The index of `text` among "this|that", or -1. */
static int word_index(const char *words, const char *text)
{
	size_t length = strlen(text);

	for (int i = 0; ; i++) {
		size_t word = strcspn(words, "|");

		if (word == length && !memcmp(words, text, word))
			return i;
		if (!words[word])
			return -1;
		words += word + 1;
	}
}

static int flag_word(const char *text)
{
	static const char *const words[] = { "0", "1", "no", "yes", "off", "on", "false", "true" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcasecmp(text, words[i]))
			return (int)(i & 1);
	}
	return -1;
}

/* `who` is the option or the variable as the user spelled it. */
static int bad_range(char **error, const struct option_row *row, const char *who, const char *text)
{
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];

	if (row->type == OPTION_SIZE)
		return fail(error, xasprintf("%s: '%s' is not a size from %s to %s; write it as "
					     "4096, 64K or 1M", who, text,
					     format_bytes(least, sizeof(least), row->least),
					     format_bytes(most, sizeof(most), row->most)));
	return fail(error, xasprintf("%s: '%s' is not a number from %llu to %llu", who, text,
				     (unsigned long long)row->least,
				     (unsigned long long)row->most));
}

static int set_number(char **error, const struct option_row *row, const char *who,
		      const char *text, struct option_value *value)
{
	int err = row->type == OPTION_SIZE ? parse_size(text, &value->number) :
					     parse_number(text, &value->number);

	if (err || value->number < row->least || value->number > row->most)
		return bad_range(error, row, who, text);
	return 0;
}

static int set_string(char **error, const struct option_row *row, const char *who,
		      const char *text, struct option_value *value)
{
	size_t length = strlen(text);

	if (length < row->least)
		return fail(error, xasprintf("%s: the value is empty; give %s", who, row->argument));
	if (row->most && length > row->most)
		return fail(error, xasprintf("%s: the value has %zu bytes; at most %llu are possible",
					     who, length, (unsigned long long)row->most));
	if (row->type == OPTION_LIST) {
		value->list = xreallocarray(value->list, value->list_count + 1,
					    sizeof(*value->list));
		value->list[value->list_count++] = text;
	}
	return 0;
}

static int set_choice(char **error, const struct option_row *row, const char *who,
		      const char *text, struct option_value *value)
{
	int word = word_index(row->argument, text);

	if (word < 0)
		return fail(error, xasprintf("%s: '%s' is none of its values; give one of %s", who,
					     text, row->argument));
	value->number = (uint64_t)word;
	return 0;
}

static int set_flag(char **error, const char *who, const char *text, struct option_value *value)
{
	int word = flag_word(text);

	if (word < 0)
		return fail(error, xasprintf("%s: '%s' is neither yes nor no; give 1 or 0", who, text));
	value->number = (uint64_t)word;
	return 0;
}

static int set_value(char **error, const struct option_row *row, const char *who, const char *text,
		     enum option_source source, struct option_value *value)
{
	if (source != value->source)
		value->list_count = 0;
	value->source = source;
	value->text = takes_argument(row) ? text : NULL;
	switch (row->type) {
	case OPTION_FLAG:
	case OPTION_SWITCH:
		return set_flag(error, who, text, value);
	case OPTION_NUMBER:
	case OPTION_SIZE:
		return set_number(error, row, who, text, value);
	case OPTION_CHOICE:
	case OPTION_MAYBE:
		return set_choice(error, row, who, text, value);
	case OPTION_STRING:
	case OPTION_LIST:
		return set_string(error, row, who, text, value);
	}
	return 0;
}

static int apply_defaults(struct parse *p)
{
	for (size_t i = 0; i < p->table->count; i++) {
		const struct option_row *row = &p->table->rows[i];
		const char *text = row->environment ? getenv(row->environment) : NULL;
		int err = 0;

		if (row->fallback)
			err = set_value(p->error, row, row->name, row->fallback, OPTION_BY_DEFAULT,
					&p->values[i]);
		if (!err && text && *text)
			err = set_value(p->error, row, row->environment, text,
					OPTION_BY_ENVIRONMENT, &p->values[i]);
		if (err)
			return err;
	}
	return 0;
}

/* Characters to insert, delete or replace to turn a into b; names are short. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], width = strlen(b);

	if (width >= 64)
		return SIZE_MAX;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			size_t best = corner + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			corner = row[j];
			row[j] = best;
		}
	}
	return row[width];
}

static const char *nearest(const struct parse *p, const char *name)
{
	const char *best = NULL;
	size_t least = 3;

	for (const struct option *o = p->longs; o->name; o++) {
		size_t d = distance(name, o->name);

		if (d < least) {
			least = d;
			best = o->name;
		}
	}
	return best;
}

/* A long option that getopt did not take: several names begin like it, or none does. */
static int bad_long(struct parse *p, const char *argument)
{
	const char *program = p->table->program;
	char *name = xstrndup(argument + 2, strcspn(argument + 2, "="));
	const char *near = nearest(p, name), *first = NULL, *second = NULL;

	for (const struct option *o = p->longs; o->name; o++) {
		if (strncmp(o->name, name, strlen(name)))
			continue;
		second = first ? o->name : NULL;
		if (second)
			break;
		first = o->name;
	}
	if (second)
		fail(p->error, xasprintf("option '--%s' is ambiguous; write --%s or --%s in full",
					 name, first, second));
	else if (near)
		fail(p->error, xasprintf("unknown option '--%s'; did you mean --%s?", name, near));
	else
		fail(p->error, xasprintf("unknown option '--%s'; see %s --help", name, program));
	free(name);
	return -EINVAL;
}

static int bad_option(struct parse *p, int got, const char *argument)
{
	const struct option_row *row = optopt >= LONG_BASE ?
		&p->table->rows[(optopt - LONG_BASE) / 2] : NULL;
	const char *program = p->table->program;

	if (got == ':') {
		for (size_t i = 0; !row && i < p->table->count; i++) {
			if (p->table->rows[i].letter == optopt)
				row = &p->table->rows[i];
		}
		return fail(p->error, xasprintf("option --%s needs a value; give %s",
						row ? row->name : "", row ? row->argument : "one"));
	}
	if (row)
		return fail(p->error, xasprintf("option --%s%s takes no value; leave the '=' away",
						(optopt - LONG_BASE) % 2 ? "no-" : "", row->name));
	if (optopt)
		return fail(p->error, xasprintf("unknown option '-%c'; see %s --help", optopt, program));
	return bad_long(p, argument);
}

static int take_option(struct parse *p, int got)
{
	const struct option_row *row;
	const char *text = optarg;
	char who[64];
	size_t i = 0;

	if (got >= LONG_BASE)
		i = (size_t)(got - LONG_BASE) / 2;
	else
		while (p->table->rows[i].letter != got)
			i++;
	row = &p->table->rows[i];
	snprintf(who, sizeof(who), "--%s", row->name);
	if (!takes_argument(row))
		text = got >= LONG_BASE && (got - LONG_BASE) % 2 ? "0" : "1";
	if (text)
		return set_value(p->error, row, who, text, OPTION_BY_USER, &p->values[i]);
	/* OPTION_MAYBE without one: its first word. */
	p->values[i].source = OPTION_BY_USER;
	p->values[i].number = 0;
	return 0;
}

int options_parse(const struct option_table *table, int argc, char **argv,
		  struct option_value *values, int *operand, char **error)
{
	struct parse p = { table, values, NULL, NULL, error };
	int err, got = 0;

	*error = NULL;
	memset(values, 0, table->count * sizeof(*values));
	make_getopt(&p);
	err = apply_defaults(&p);
	optind = 0;		/* glibc: start anew */
	opterr = 0;
	while (!err) {
		int at = optind ? optind : 1;

		optopt = 0;
		got = getopt_long(argc, argv, p.letters, p.longs, NULL);
		if (got == -1)
			break;
		err = got == '?' || got == ':' ? bad_option(&p, got, argv[at]) : take_option(&p, got);
	}
	*operand = optind;
	free_getopt(&p);
	return err;
}

void options_release(const struct option_table *table, struct option_value *values)
{
	for (size_t i = 0; i < table->count; i++) {
		free(values[i].list);
		values[i].list = NULL;
		values[i].list_count = 0;
	}
}
