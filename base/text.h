/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Foreign text (names, paths, symbols) made fit for a terminal or a report.
 *
 * Whatever comes from a target may hold escape sequences, broken UTF-8 or wide characters. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Appends the bytes to out; control characters (below 0x20, 0x7f, C1), and bytes that are no
 * valid UTF-8 appear as \xNN, a character that changes the writing direction too.  The result
 * is printable UTF-8 without line breaks; printable input is unchanged. */
void text_sanitise(struct buffer *out, const char *data, size_t length);

/* The same, and what is not ASCII becomes '?': for terminals without UTF-8. */
void text_sanitise_ascii(struct buffer *out, const char *data, size_t length);

/* Columns that the (sanitised) text takes on a terminal, after setlocale(); combining characters
 * take none, wide ones two, what the locale does not know one. */
size_t text_width(const char *data, size_t length);

/* Bytes of the longest prefix that fits into `columns`, never half a character, with the
 * combining characters that follow it; its width goes to *width unless that is NULL. */
size_t text_clip(const char *data, size_t length, size_t columns, size_t *width);

/* Is `low`, which is in lower case, somewhere in the text, in either case (of ASCII)?  A text that is NULL holds nothing. */
bool text_holds(const char *text, const char *low);

/* Decodes one character: its bytes (1..4), or 0 for an invalid sequence.  length must be > 0. */
size_t text_decode(const char *data, size_t length, uint32_t *character);

#endif
