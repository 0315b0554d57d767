/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw records: what is decoded can be encoded, and encoded so, is decoded to the same. */
#include "tests/fuzz/target.h"

#include <string.h>

#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/resident.h"

#define CELLS_MAX	(1u << 20)

enum { EVENTS, STACKS, SYMBOLS, COUNTERS, OTHERS, REFUSED, UNKNOWN, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[EVENTS] = { "events", 0 }, [STACKS] = { "stacks", 0 }, [SYMBOLS] = { "symbols", 0 },
	[COUNTERS] = { "counters", 0 }, [OTHERS] = { "other records", 0 }, [REFUSED] = { "damaged records", 0 },
	[UNKNOWN] = { "kinds that nobody knows", 0 },
};

static struct trace_event events[TRACE_BATCH_MAX];
static struct trace_stack_node *nodes;
static uint8_t first_bytes[4 * TRACE_RECORD_MAX], second_bytes[4 * TRACE_RECORD_MAX];

/* Decodes and encodes again; -EBADMSG of the decoder, or what the encoder says. */
typedef int again(const struct trace_record *record, struct trace_out *out);

#define AGAIN(name) \
static int again_##name(const struct trace_record *record, struct trace_out *out) \
{ \
	struct trace_##name value; \
	int err = trace_get_##name(record, &value); \
\
	return err ? err : trace_put_##name(out, &value); \
}
AGAIN(fact)
AGAIN(clock)
AGAIN(thread)
AGAIN(module)
AGAIN(module_end)
AGAIN(rss)
AGAIN(sync)
AGAIN(lost)
AGAIN(exec)
AGAIN(child)
AGAIN(relative)

static int again_resident(const struct trace_record *record, struct trace_out *out)
{
	struct trace_resident value;
	struct resident_walk walk;
	struct resident_map map;
	uint64_t first, pages, behind = 0;
	int err = trace_get_resident(record, &value);

	if (err)
		return err;
	resident_walk_init(&walk, &value);
	while (resident_walk_map(&walk, &map) == 1) {
		fuzz_rule(map.first >= behind && map.first + map.pages >= map.first);
		while (resident_walk_run(&walk, &first, &pages) == 1)
			fuzz_rule(first >= map.first && pages && pages <= map.pages &&
				  first - map.first <= map.pages - pages);
		behind = map.first + map.pages;
	}
	return trace_put_resident(out, &value);
}
AGAIN(note)
AGAIN(marker)
AGAIN(pause)
AGAIN(end)

static int again_string(const struct trace_record *record, struct trace_out *out)
{
	struct trace_string_def value;
	int err = trace_get_string(record, &value);

	return err ? err : trace_put_string(out, &value);
}

static int again_symbols(const struct trace_record *record, struct trace_out *out)
{
	struct trace_symbol_frame frames[TRACE_INLINE_MAX];
	struct trace_symbols value;
	int err = trace_get_symbols(record, &value, frames, TRACE_INLINE_MAX);

	return err ? err : trace_put_symbols(out, &value);
}

static int again_counters(const struct trace_record *record, struct trace_out *out)
{
	static struct trace_counter cells[TRACE_COUNTERS_MAX];
	struct trace_counters value;
	int err = trace_get_counters(record, &value, cells, TRACE_COUNTERS_MAX);

	return err ? err : trace_put_counters(out, &value);
}

static int again_stacks(const struct trace_record *record, struct trace_out *out)
{
	int count = trace_get_stacks(record, nodes, CELLS_MAX);

	if (count <= 0)
		return count;
	/* Ids that run over 32 bits are no run. */
	return nodes[0].id > UINT32_MAX - (uint32_t)count ? 0 : trace_put_stacks(out, nodes, (size_t)count);
}

static int again_events(const struct trace_record *record, struct trace_out *out)
{
	uint32_t thread;
	int count = trace_get_events(record, &thread, events, TRACE_BATCH_MAX);

	return count <= 0 ? count : trace_put_events(out, thread, events, (size_t)count);
}

static const struct {
	again *function;
	unsigned mark;
} kinds[256] = {
	[TRACE_FACT] = { again_fact, OTHERS }, [TRACE_CLOCK] = { again_clock, OTHERS },
	[TRACE_THREAD] = { again_thread, OTHERS }, [TRACE_MODULE] = { again_module, OTHERS },
	[TRACE_MODULE_END] = { again_module_end, OTHERS }, [TRACE_STACKS] = { again_stacks, STACKS },
	[TRACE_EVENTS] = { again_events, EVENTS }, [TRACE_SYMBOLS] = { again_symbols, SYMBOLS },
	[TRACE_STRING] = { again_string, OTHERS }, [TRACE_RSS] = { again_rss, OTHERS },
	[TRACE_SYNC] = { again_sync, OTHERS }, [TRACE_LOST] = { again_lost, OTHERS },
	[TRACE_EXEC] = { again_exec, OTHERS }, [TRACE_CHILD] = { again_child, OTHERS },
	[TRACE_NOTE] = { again_note, OTHERS }, [TRACE_END] = { again_end, OTHERS },
	[TRACE_COUNTERS] = { again_counters, COUNTERS }, [TRACE_RELATIVE] = { again_relative, OTHERS },
	[TRACE_RESIDENT] = { again_resident, OTHERS }, [TRACE_MARKER] = { again_marker, OTHERS },
	[TRACE_PAUSE] = { again_pause, OTHERS },
};

/* The first encoding may be shorter than what came; the second must be the first again. */
static void compare(again *function, const struct trace_out *first)
{
	struct trace_in in = { first->data, first->length, 0 };
	struct trace_out second = { second_bytes, 0, sizeof(second_bytes) };
	struct trace_record record;

	fuzz_rule(trace_next(&in, &record) == 1 && in.at == in.length);
	fuzz_rule(function(&record, &second) == 0);
	fuzz_rule(first->length == second.length && !memcmp(first->data, second.data, first->length));
}

static void one(const struct trace_record *record)
{
	struct trace_out first = { first_bytes, 0, sizeof(first_bytes) };
	unsigned kind = (uint8_t)record->kind;
	int err;

	trace_record_count(record);
	if (!kinds[kind].function) {
		marks[UNKNOWN].count++;
		return;
	}
	err = kinds[kind].function(record, &first);
	marks[err ? REFUSED : kinds[kind].mark].count++;
	if (!err && first.length)
		compare(kinds[kind].function, &first);
}

static void start(void)
{
	nodes = calloc(CELLS_MAX, sizeof(*nodes));
	fuzz_rule(nodes != NULL);
}

static void run(const uint8_t *data, size_t size)
{
	struct trace_in in = { data, size, 0 };
	struct trace_record record;

	while (trace_next(&in, &record) == 1)
		one(&record);
}

const struct fuzz_target fuzz_records = { "records", marks, start, run };
