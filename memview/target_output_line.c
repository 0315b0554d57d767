/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A printed line as text: sequences for a terminal left out. */
#include <string.h>

#include "memview/target_output.h"

enum { ESCAPE = 0x1b, BELL = 0x07, TAB_COLUMNS = 8 };

/* ESC [ parameters letter; or a string up to BEL or ESC \.  Returns what it takes of the text,
 * which may end in the midst of it. */
static size_t sequence_length(const char *text, size_t length)
{
	size_t i = 2;

	if (length < 2)
		return length;
	if (text[1] == '[') {
		while (i < length && text[i] >= 0x20 && text[i] < 0x40)
			i++;
		return i < length ? i + 1 : length;
	}
	if (text[1] >= 0x20 && text[1] < 0x30) {	/* ESC ( B and its like */
		while (i < length && text[i] >= 0x20 && text[i] < 0x30)
			i++;
		return i < length ? i + 1 : length;
	}
	if (!text[1] || !strchr("]PX^_", text[1]))
		return 2;
	while (i < length && text[i] != BELL && text[i] != ESCAPE)
		i++;
	if (i < length && text[i] == ESCAPE)
		i++;
	return i < length ? i + 1 : length;
}

/* A character of several bytes goes as a whole. */
static void erase_last(struct buffer *out, size_t start)
{
	while (out->length > start && (out->data[out->length - 1] & 0xc0) == 0x80)
		out->length--;
	if (out->length > start)
		out->length--;
}

/* A carriage return means that the rest is written over it, if there is a rest. */
static void go_back(struct buffer *out, size_t start, size_t left)
{
	if (left)
		out->length = start;
}

void target_output_plain(struct buffer *out, const char *line, size_t length)
{
	size_t start = out->length;

	while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
		length--;
	for (size_t i = 0; i < length; i++) {
		if (line[i] == ESCAPE)
			i += sequence_length(line + i, length - i) - 1;
		else if (line[i] == '\r')
			go_back(out, start, length - i - 1);
		else if (line[i] == '\b')
			erase_last(out, start);
		else if (line[i] == '\t')
			buffer_append_repeat(out, ' ', TAB_COLUMNS - (out->length - start) % TAB_COLUMNS);
		else if (line[i] != BELL)
			buffer_append_char(out, line[i]);
	}
}
