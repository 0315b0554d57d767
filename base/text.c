/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Foreign text made fit for a terminal or a report. */
#include "base/text.h"

#include <ctype.h>
#include <wchar.h>

/* Bytes of the sequence that `lead` begins and the smallest character that may use it. */
static size_t sequence_length(uint8_t lead, uint32_t *least)
{
	if (lead < 0x80) {
		*least = 0;
		return 1;
	}
	if (lead >= 0xc2 && lead <= 0xdf) {
		*least = 0x80;
		return 2;
	}
	if ((lead & 0xf0) == 0xe0) {
		*least = 0x800;
		return 3;
	}
	*least = 0x10000;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

size_t text_decode(const char *data, size_t length, uint32_t *character)
{
	const uint8_t *bytes = (const uint8_t *)data;
	uint32_t least, value;
	size_t n = sequence_length(bytes[0], &least);

	if (!n || n > length)
		return 0;
	value = n == 1 ? bytes[0] : bytes[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*character = value;
	return n;
}

/* Controls, and the invisible characters that reorder or break lines (Trojan Source). */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void sanitise(struct buffer *out, const char *data, size_t length, bool ascii)
{
	for (size_t at = 0; at < length; ) {
		uint32_t c = 0;
		size_t n = text_decode(data + at, length - at, &c);

		if (n && !is_unsafe(c)) {
			if (ascii && n > 1)
				buffer_append_char(out, '?');
			else
				buffer_append(out, data + at, n);
			at += n;
			continue;
		}
		for (n = n ? n : 1; n; n--)
			buffer_printf(out, "\\x%02x", (uint8_t)data[at++]);
	}
}

void text_sanitise(struct buffer *out, const char *data, size_t length)
{
	sanitise(out, data, length, false);
}

void text_sanitise_ascii(struct buffer *out, const char *data, size_t length)
{
	sanitise(out, data, length, true);
}

size_t text_clip(const char *data, size_t length, size_t columns, size_t *width)
{
	size_t at = 0, used = 0;

	while (at < length) {
		uint32_t c = 0;
		size_t n = text_decode(data + at, length - at, &c);
		int w = n ? wcwidth((wchar_t)c) : 1;

		if (w < 0)
			w = 1;
		if (used + (size_t)w > columns)
			break;
		used += (size_t)w;
		at += n ? n : 1;
	}
	if (width)
		*width = used;
	return at;
}

size_t text_width(const char *data, size_t length)
{
	size_t width;

	text_clip(data, length, SIZE_MAX / 2, &width);
	return width;
}

bool text_holds(const char *text, const char *low)
{
	for (; text && *text; text++) {
		size_t i = 0;

		while (low[i] && tolower((unsigned char)text[i]) == (unsigned char)low[i])
			i++;
		if (!low[i])
			return true;
	}
	return false;
}
