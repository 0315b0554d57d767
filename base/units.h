/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as people read and write them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNITS_TEXT_MAX	32	/* room that every result fits into */

/* Each writes a terminated text into out[0..size) and returns out. */

/* "512 B", "1.5 KiB", "20.0 MiB": binary multiples with one digit. */
char *format_bytes(char *out, size_t size, uint64_t bytes);

/* Nanoseconds: "267ns", "26.7us", "0.267ms", "12.345ms", "1.234s", "2m03s", "5h07m". */
char *format_duration(char *out, size_t size, uint64_t ns);

/* "1,234,567". */
char *format_count(char *out, size_t size, uint64_t count);

/* "4096", "64K", "1M", "2G" (also k, KiB, KB, B; binary multiples).  0, -EINVAL or -ERANGE. */
int parse_size(const char *text, uint64_t *bytes);

/* A whole decimal (or 0x hexadecimal) number.  0, -EINVAL or -ERANGE. */
int parse_number(const char *text, uint64_t *number);

#endif
