/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as people read and write them. */
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *format_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes;
	int unit = -1;

	if (bytes < 1024) {
		snprintf(out, size, "%" PRIu64 " B", bytes);
		return out;
	}
	/* 1023.95 would be rounded to "1024.0". */
	while (value >= 1023.95 && unit < 5) {
		value /= 1024;
		unit++;
	}
	if (unit < 0) {
		value = 1;
		unit = 0;
	}
	snprintf(out, size, "%.1f %ciB", value, units[unit]);
	return out;
}

char *format_duration(char *out, size_t size, uint64_t ns)
{
	uint64_t seconds = ns / 1000000000;

	if (ns < 1000)
		snprintf(out, size, "%" PRIu64 "ns", ns);
	else if (ns < 100000)
		snprintf(out, size, "%.1fus", (double)ns / 1e3);
	else if (seconds < 1)
		snprintf(out, size, "%.3fms", (double)ns / 1e6);
	else if (seconds < 100)
		snprintf(out, size, "%.3fs", (double)ns / 1e9);
	else if (seconds < 3600)
		snprintf(out, size, "%" PRIu64 "m%02us", seconds / 60, (unsigned)(seconds % 60));
	else
		snprintf(out, size, "%" PRIu64 "h%02um", seconds / 3600,
			 (unsigned)(seconds / 60 % 60));
	return out;
}

char *format_count(char *out, size_t size, uint64_t count)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t to = 0;

	for (size_t i = 0; i < length && to + 1 < size; i++) {
		if (i && (length - i) % 3 == 0)
			out[to++] = ',';
		if (to + 1 < size)
			out[to++] = digits[i];
	}
	if (size)
		out[to] = '\0';
	return out;
}

static int parse_prefix(const char *text, char **end, uint64_t *number)
{
	unsigned long long value;
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;

	/* strtoull takes blanks and a sign; an option value has neither. */
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, end, base);
	if (errno == ERANGE)
		return -ERANGE;
	*number = value;
	return 0;
}

int parse_number(const char *text, uint64_t *number)
{
	uint64_t value;
	char *end;
	int err = parse_prefix(text, &end, &value);

	if (err)
		return err;
	if (*end)
		return -EINVAL;
	*number = value;
	return 0;
}

static int unit_shift(const char *unit)
{
	static const char letters[] = "KMGT";
	const char *found;

	if (!*unit || !strcasecmp(unit, "B"))
		return 0;
	found = strchr(letters, *unit & ~0x20);
	if (!found || !*found)
		return -1;
	if (unit[1] && strcasecmp(unit + 1, "B") && strcasecmp(unit + 1, "iB"))
		return -1;
	return 10 * (int)(found - letters + 1);
}

int parse_size(const char *text, uint64_t *bytes)
{
	uint64_t value;
	char *end;
	int err = parse_prefix(text, &end, &value);
	int shift;

	if (err)
		return err;
	shift = unit_shift(end);
	if (shift < 0)
		return -EINVAL;
	if (value > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes = value << shift;
	return 0;
}
