/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking columns out of EVENTS records and putting them back. */
#include "store/columns.h"

#include <string.h>

#include "trace/decode.h"
#include "trace/varint.h"

/* Past the numbers in front of the columns; NULL: there are none. */
static const uint8_t *pass_numbers(const uint8_t *at, const uint8_t *end)
{
	uint64_t ignored;

	for (int i = 0; i < 3 && at; i++)
		at = varint_read(at, end, &ignored);
	return at;
}

static void append(uint8_t **to, const uint8_t *from, size_t length)
{
	memcpy(*to, from, length);
	*to += length;
}

/* The columns of one record: their bytes to their parts, or (to[0] NULL) only counted. */
static bool split_record(const struct trace_record *record, uint8_t *to[COLUMNS_PARTS], size_t sizes[COLUMNS_PARTS])
{
	const uint8_t *end = record->payload + record->length, *from = record->payload;
	const uint8_t *at = pass_numbers(from, end);
	uint64_t length;

	for (unsigned i = 1; i < COLUMNS_PARTS; i++) {
		at = at ? varint_read(at, end, &length) : NULL;
		if (!at || length > (size_t)(end - at))
			return false;
		if (to[0]) {
			append(&to[0], from, (size_t)(at - from));
			append(&to[i], at, (size_t)length);
		}
		sizes[i] += (size_t)length;
		from = at += length;
	}
	if (to[0])
		append(&to[0], from, (size_t)(end - from));
	return true;
}

static bool walk(const uint8_t *records, size_t length, uint8_t *to[COLUMNS_PARTS], size_t sizes[COLUMNS_PARTS])
{
	struct trace_in in = { records, length, 0 };
	struct trace_record record;

	while (in.at < length) {
		size_t start = in.at, head;

		if (trace_next(&in, &record) != 1)
			return false;
		head = (size_t)(record.payload - records) - start;
		if (record.kind != TRACE_EVENTS)
			head += record.length;
		if (to[0])
			append(&to[0], records + start, head);
		if (record.kind == TRACE_EVENTS && !split_record(&record, to, sizes))
			return false;
	}
	return true;
}

bool columns_split(const uint8_t *records, size_t length, uint8_t *parts, size_t sizes[COLUMNS_PARTS])
{
	uint8_t *to[COLUMNS_PARTS] = { NULL };
	size_t again[COLUMNS_PARTS] = { 0 };

	memset(sizes, 0, COLUMNS_PARTS * sizeof(*sizes));
	if (!walk(records, length, to, sizes))
		return false;
	sizes[0] = length;
	for (unsigned i = 1; i < COLUMNS_PARTS; i++)
		sizes[0] -= sizes[i];
	to[0] = parts;
	for (unsigned i = 1; i < COLUMNS_PARTS; i++)
		to[i] = to[i - 1] + sizes[i - 1];
	return walk(records, length, to, again);
}

/* Where the parts are read, and where the records go. */
struct join {
	const uint8_t *at[COLUMNS_PARTS], *end[COLUMNS_PARTS];
	uint8_t *to;		/* NULL: columns are only counted */
	size_t sizes[COLUMNS_PARTS];
};

/* `length` bytes of a part.  False: it has not so many. */
static bool take(struct join *j, unsigned part, size_t length)
{
	if (length > (size_t)(j->end[part] - j->at[part]))
		return false;
	if (j->to)
		append(&j->to, j->at[part], length);
	j->at[part] += length;
	return true;
}

/* A number of the first part, which is copied. */
static bool take_number(struct join *j, uint64_t *value)
{
	const uint8_t *at = varint_read(j->at[0], j->end[0], value);

	return at && take(j, 0, (size_t)(at - j->at[0]));
}

/* The columns of a record of `length` bytes, whose head was copied. */
static bool join_events(struct join *j, uint64_t length)
{
	const uint8_t *start = j->at[0];
	uint64_t columns = 0, value;

	for (int i = 0; i < 3; i++)
		if (!take_number(j, &value))
			return false;
	for (unsigned i = 1; i < COLUMNS_PARTS; i++) {
		if (!take_number(j, &value) || value > length || (j->to && !take(j, i, (size_t)value)))
			return false;
		j->sizes[i] += (size_t)value;
		columns += value;
	}
	columns += (uint64_t)(j->at[0] - start);
	return columns <= length && take(j, 0, (size_t)(length - columns));
}

static bool join_all(struct join *j)
{
	uint64_t length;

	while (j->at[0] < j->end[0]) {
		uint8_t kind = *j->at[0];

		if (!take(j, 0, 1) || !take_number(j, &length) || length > TRACE_RECORD_MAX)
			return false;
		if (kind == TRACE_EVENTS ? !join_events(j, length) : !take(j, 0, (size_t)length))
			return false;
	}
	return true;
}

bool columns_join(const uint8_t *parts, size_t length, size_t first, uint8_t *records)
{
	struct join j = { .at = { parts }, .end = { parts + first } };
	size_t left = length - first;

	if (first > length || !join_all(&j))
		return false;
	for (unsigned i = 1; i < COLUMNS_PARTS; i++) {
		if (j.sizes[i] > left)
			return false;
		left -= j.sizes[i];
		j.at[i] = j.end[i - 1];
		j.end[i] = j.at[i] + j.sizes[i];
	}
	j.at[0] = parts;
	j.to = records;
	return !left && join_all(&j);
}
