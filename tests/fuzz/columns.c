/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chunks whose columns stand together: four bytes, the length of the first part, then the parts - or
 * records, to be taken apart. */
#include "tests/fuzz/target.h"

#include <string.h>

#include "store/columns.h"

enum { JOINED, SPLIT, REFUSED, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[JOINED] = { "parts", 0 }, [SPLIT] = { "records", 0 }, [REFUSED] = { "neither", 0 },
};

/* Of their exact size, so that a sanitizer sees what is read or written beside them. */
static uint8_t *exact(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size);

	fuzz_rule(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

static void join(const uint8_t *parts, size_t size, size_t first)
{
	uint8_t *records = exact(parts, size), *again = exact(parts, size);
	size_t sizes[COLUMNS_PARTS];

	if (columns_join(parts, size, first, records)) {
		marks[JOINED].count++;
		fuzz_rule(columns_split(records, size, again, sizes));
		fuzz_rule(sizes[0] == first && !memcmp(parts, again, size));
	} else {
		marks[REFUSED].count++;
	}
	free(records);
	free(again);
}

static void split(const uint8_t *records, size_t size)
{
	uint8_t *parts = exact(records, size), *again = exact(records, size);
	size_t sizes[COLUMNS_PARTS];

	if (columns_split(records, size, parts, sizes)) {
		marks[SPLIT].count++;
		fuzz_rule(columns_join(parts, size, sizes[0], again));
		fuzz_rule(!memcmp(records, again, size));
	}
	free(parts);
	free(again);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size, 0 };
	size_t first = (size_t)fuzz_take(&in, 4);
	uint8_t *copy = exact(data + in.at, size - in.at);

	join(copy, size - in.at, first);
	split(copy, size - in.at);
	free(copy);
}

const struct fuzz_target fuzz_columns = { "columns", marks, NULL, run };
