/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers and paragraphs of the text report. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/units.h"
#include "model/report_parts.h"
#include "model/report_sites.h"

#define SLOTS	8u

/* Each call of one line needs a slot of its own. */
const char *report_bytes(uint64_t value)
{
	static char text[SLOTS][UNITS_TEXT_MAX];
	static unsigned slot;

	slot = (slot + 1) % SLOTS;
	return format_bytes(text[slot], sizeof(text[slot]), value);
}

const char *report_number(uint64_t value)
{
	static char text[SLOTS][UNITS_TEXT_MAX];
	static unsigned slot;

	slot = (slot + 1) % SLOTS;
	return format_count(text[slot], sizeof(text[slot]), value);
}

const char *report_duration(uint64_t ns)
{
	static char text[SLOTS][UNITS_TEXT_MAX];
	static unsigned slot;

	slot = (slot + 1) % SLOTS;
	return format_duration(text[slot], sizeof(text[slot]), ns);
}

static const char *about(const char *figure, uint64_t margin)
{
	static char text[SLOTS][UNITS_TEXT_MAX + 1];
	static unsigned slot;

	slot = (slot + 1) % SLOTS;
	snprintf(text[slot], sizeof(text[slot]), "%s%s", margin ? "~" : "", figure);
	return text[slot];
}

const char *report_about_bytes(uint64_t value, uint64_t margin)
{
	return about(report_bytes(value), margin);
}

const char *report_about_number(uint64_t value, uint64_t margin)
{
	return about(report_number(value), margin);
}

unsigned report_percent(uint64_t part, uint64_t whole)
{
	unsigned rounded = whole ? (unsigned)((part * 100 + whole / 2) / whole) : 0;

	return rounded == 100 && part < whole ? 99 : rounded; /* all is all */
}

const char *report_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#define GLUE	'\x01'	/* a blank that is no end of a line; the text has no such byte */

/* A number and its unit stay together: "1.5 KiB", "100 B", "24 %". */
static void glue_units(char *words)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "%" };

	for (char *blank = strchr(words, ' '); blank; blank = strchr(blank + 1, ' ')) {
		size_t length = strcspn(blank + 1, " ,;:.)");

		for (size_t i = 0; blank > words && i < sizeof(units) / sizeof(units[0]); i++)
			if (blank[-1] >= '0' && blank[-1] <= '9' && strlen(units[i]) == length &&
			    !strncmp(blank + 1, units[i], length))
				*blank = GLUE;
	}
}

static void unglue(char *word)
{
	for (; *word; word++)
		if (*word == GLUE)
			*word = ' ';
}

void report_wrap(const struct report *r, unsigned indent, const char *text)
{
	struct buffer clean = BUFFER_INIT;
	size_t column = 0;
	char *words, *word, *rest;

	report_clip(text, SIZE_MAX, &clean);
	words = buffer_detach(&clean);
	glue_units(words);
	buffer_append_repeat(r->out, ' ', indent);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		size_t length = strlen(word), width;

		unglue(word);
		width = text_width(word, length);
		if (column && indent + column + 1 + width > r->options.width) {
			buffer_append_char(r->out, '\n');
			buffer_append_repeat(r->out, ' ', indent + 2);
			column = 2;
		} else if (column) {
			buffer_append_char(r->out, ' ');
			column++;
		}
		buffer_append(r->out, word, length);
		column += width;
	}
	buffer_append_char(r->out, '\n');
	free(words);
}

void report_wrapf(const struct report *r, unsigned indent, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	report_wrap(r, indent, text);
	free(text);
}

void report_end(const struct heap_status *status, struct buffer *out)
{
	switch (status->end) {
	case HEAP_EXITED:
		buffer_printf(out, "exited with status %u", status->end_value);
		break;
	case HEAP_KILLED:
		buffer_printf(out, "was killed by signal %u (%s)", status->end_value,
			      strsignal((int)status->end_value));
		break;
	case HEAP_DETACHED:
		buffer_append_string(out, "goes on untraced");
		break;
	case HEAP_ENDED:
		buffer_append_string(out, "ended");
		break;
	default:
		buffer_append_string(out, status->data_ended ? "has no recorded end" : "is running");
	}
}
