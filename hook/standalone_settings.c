/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading variables. */
#include "hook/standalone_settings.h"

#include <stdbool.h>
#include <stddef.h>

#include "hook/log_notice.h"
#include "hook/memory.h"
#include "trace/settings.h"
#include "trace/text_write.h"

enum type { STRING, CHOICE, FLAG, NUMBER, SIZE, SWITCH, MAYBE };

struct row {
	const char *variable, *standalone;
	uint64_t least, most;
	enum type type;
};

static const struct row rows[SETTING_COUNT] = {
#define X(id, name, letter, type, least, most, launched, standalone, argument, variable, help) \
	[SETTING_##id] = { variable, standalone, least, most, type },
	TRACE_SETTINGS(X)
#undef X
};

const char *standalone_variable(char *const *envp, const char *name)
{
	size_t n = hook_strlen(name);

	for (; envp && *envp; envp++) {
		size_t i = 0;

		while (i < n && (*envp)[i] == name[i])
			i++;
		if (i == n && (*envp)[n] == '=')
			return *envp + n + 1;
	}
	return NULL;
}

static unsigned shift_of(char unit)
{
	switch (unit) {
	case 'k': case 'K': return 10;
	case 'm': case 'M': return 20;
	case 'g': case 'G': return 30;
	default: return 0;
	}
}

/* Decimal digits; for sizes with an optional K, M or G. */
static bool parse(const char *text, bool size, uint64_t *value)
{
	unsigned shift = 0;

	*value = 0;
	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, (unsigned)(*text - '0'), value))
			return false;
	}
	if (size)
		shift = shift_of(*text);
	text += shift != 0;
	if (*text || *value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

static char *add(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static void say_bad_number(const struct row *row, const char *text)
{
	char before[80], after[120], *at;

	at = add(before, row->variable);
	add(at, " is");
	at = add(after, row->type == SIZE ? ", not a size (with K, M or G) from " : ", not a number from ");
	at += text_decimal(at, row->least, 0);
	at = add(at, " to ");
	at += text_decimal(at, row->most, 0);
	at = add(at, "; ");
	at = add(at, row->standalone);
	add(at, " is used");
	log_notice(before, text, after);
}

static uint64_t number(char *const *envp, enum setting setting)
{
	const struct row *row = &rows[setting];
	const char *text = standalone_variable(envp, row->variable);
	uint64_t value;

	if (text && *text) {
		if (parse(text, row->type == SIZE, &value) && value >= row->least && value <= row->most)
			return value;
		say_bad_number(row, text);
	}
	parse(row->standalone, row->type == SIZE, &value);
	return value;
}

static const char *string(char *const *envp, enum setting setting)
{
	const struct row *row = &rows[setting];
	const char *text = standalone_variable(envp, row->variable);
	char before[80];

	if (!text || !*text)
		return NULL;
	if (hook_strlen(text) <= row->most)
		return text;
	add(add(before, row->variable), " is too long and left out:");
	log_notice(before, text, "");
	return NULL;
}

void standalone_settings_read(struct standalone_settings *s, char *const *envp)
{
	s->port = string(envp, SETTING_PORT);
	s->output = string(envp, SETTING_OUTPUT);
	s->stack_threads = string(envp, SETTING_STACK_THREADS);
	s->track_threads = string(envp, SETTING_TRACK_THREADS);
	s->min_size = number(envp, SETTING_MIN_SIZE);
	s->stack_depth = number(envp, SETTING_STACK_DEPTH);
	s->buffer_size = number(envp, SETTING_BUFFER_SIZE);
}
