/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text log, read by the model. */
#include "tests/fuzz/queries.h"
#include "tests/fuzz/target.h"

enum { EVENTS, FOREIGN, IMPLIED, LEAKS, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[EVENTS] = { "events", 0 }, [FOREIGN] = { "foreign lines", 0 },
	[IMPLIED] = { "addresses that are handed out twice", 0 }, [LEAKS] = { "a verdict about leaks", 0 },
};

/* The first two bytes say how it is cut into pieces. */
static void run(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size, 0 };
	size_t piece = (size_t)fuzz_take(&in, 2);
	struct heap_status status;

	fuzz_model(data + in.at, size - in.at, piece, &status);
	marks[EVENTS].count += status.format == HEAP_FORMAT_TEXT && status.events > 0;
	marks[FOREIGN].count += status.foreign_lines > 0 && status.events > 0;
	marks[IMPLIED].count += status.implied_frees > 0;
	marks[LEAKS].count += status.leaks_final;
}

const struct fuzz_target fuzz_text = { "text", marks, NULL, run };
