/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a .mtk record by record. */
#include "tests/tools/dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "store/reader.h"
#include "trace/channel.h"
#include "trace/ops.h"

#define INLINE_MAX 64

static uint64_t address_key(uint32_t module, uint64_t address)
{
	return (uint64_t)module << 48 ^ address;
}

static void say(const struct dump *dump, const char *what, struct trace_string a, struct trace_string b)
{
	if (!dump->quiet)
		printf("%s %.*s %.*s\n", what, (int)a.length, a.data, (int)b.length, b.data);
}

static void read_events(struct dump *dump, const struct trace_record *record)
{
	static struct trace_event batch[TRACE_BATCH_MAX];
	uint32_t thread;
	int count = trace_get_events(record, &thread, batch, TRACE_BATCH_MAX);

	uint32_t tid;

	if (count < 0)
		printf("damaged events\n");
	tid = count > 0 && thread < dump->tids.count ? dump->tids.items[thread] : 0;
	for (int i = 0; i < count; i++) {
		if (!batch[i].inner)
			label_sums_add(&dump->sums, batch[i].op, 1, batch[i].size);
		if (!dump->forget)
			vector_push(&dump->events, (struct dump_event){ batch[i], tid, dump->events.count });
	}
}

static void read_stacks(struct dump *dump, const struct trace_record *record)
{
	size_t count = trace_record_count(record);
	struct trace_stack_node *nodes = xcalloc(count + 1, sizeof(*nodes));
	int got = trace_get_stacks(record, nodes, count);

	for (int i = 0; i < got; i++) {
		if (nodes[i].id >= dump->nodes.count)
			vector_resize(&dump->nodes, nodes[i].id + 1);
		dump->nodes.items[nodes[i].id] = nodes[i];
	}
	free(nodes);
}

static void read_thread(struct dump *dump, const struct trace_record *record)
{
	struct trace_thread thread;

	if (trace_get_thread(record, &thread) < 0 || thread.thread > 1u << 20)
		return;
	if (thread.thread >= dump->tids.count)
		vector_resize(&dump->tids, thread.thread + 1);
	dump->tids.items[thread.thread] = thread.tid;
	if (!dump->quiet)
		printf("thread %u %u %.*s\n", thread.thread, thread.tid, (int)thread.name.length,
			thread.name.data);
}

static void read_module(struct dump *dump, const struct trace_record *record)
{
	struct dump_module row = { .end_epoch = UINT32_MAX };
	struct trace_module_end end;

	if (record->kind == TRACE_MODULE && trace_get_module(record, &row.module) == 0) {
		vector_push(&dump->modules, row);
		if (!dump->quiet)
			printf("module %u %.*s\n", row.module.module, (int)row.module.path.length,
				row.module.path.data);
	}
	if (record->kind == TRACE_MODULE_END && trace_get_module_end(record, &end) == 0)
		for (size_t i = 0; i < dump->modules.count; i++)
			if (dump->modules.items[i].module.module == end.module)
				dump->modules.items[i].end_epoch = end.epoch;
}

static void read_string(struct dump *dump, const struct trace_record *record)
{
	struct trace_string_def def;

	if (trace_get_string(record, &def) < 0 || def.id > 1u << 24)
		return;
	if (def.id >= dump->strings.count)
		vector_resize(&dump->strings, def.id + 1);
	free(dump->strings.items[def.id]);
	dump->strings.items[def.id] = xstrndup(def.text.data, def.text.length);
}

static const char *string_of(const struct dump *dump, uint32_t id)
{
	return id < dump->strings.count && dump->strings.items[id] ? dump->strings.items[id] : "?";
}

static void read_symbols(struct dump *dump, const struct trace_record *record)
{
	struct trace_symbol_frame frames[INLINE_MAX];
	struct trace_symbols symbols;
	struct buffer text;

	if (trace_get_symbols(record, &symbols, frames, INLINE_MAX) < 0)
		return;
	buffer_init(&text);
	for (uint32_t i = 0; i < symbols.count; i++)
		buffer_printf(&text, "%s%s", i ? ";" : "", string_of(dump, frames[i].function));
	map_put(&dump->addresses, address_key(symbols.module, symbols.address), dump->functions.count);
	vector_push(&dump->functions, xstrndup(text.data ? text.data : "", text.length));
	buffer_release(&text);
}

static void read_counters(struct dump *dump, const struct trace_record *record)
{
	static struct trace_counter cells[TRACE_COUNTERS_MAX];
	struct trace_counters counters;

	if (trace_get_counters(record, &counters, cells, TRACE_COUNTERS_MAX) < 0)
		return;
	for (uint32_t i = 0; i < counters.count; i++) {
		bool created;
		uint64_t key = (uint64_t)counters.thread << 16 | cells[i].op << 8 | cells[i].bucket;
		uint64_t *at = map_place(&dump->counter_at, key, &created);

		if (created) {
			*at = dump->counters.count;
			vector_push(&dump->counters, cells[i]);
		}
		dump->counters.items[*at] = cells[i];
		if (!dump->quiet)
			printf("counters %u %s%s %u %llu %llu\n", counters.thread,
				cells[i].op == OP_REALLOC_FREE ? "realloc-" : "", op_label(cells[i].op),
				cells[i].bucket, (unsigned long long)cells[i].count,
				(unsigned long long)cells[i].bytes);
	}
}

/* What is kept of a record, printed or not. */
static void note_mark(struct dump *dump, const struct trace_record *record)
{
	struct trace_lost lost;
	struct trace_exec exec;
	struct trace_end end;

	if (trace_get_lost(record, &lost) == 0)
		dump->lost += lost.count;
	else if (trace_get_exec(record, &exec) == 0)
		vector_push(&dump->execs, exec.stamp);
	else if (trace_get_end(record, &end) == 0)
		dump->ended = true;
}

static void read_mark(struct dump *dump, const struct trace_record *record)
{
	struct trace_fact fact;
	struct trace_relative r;
	struct trace_child child;
	struct trace_lost lost;
	struct trace_note note;
	struct trace_marker marker;
	struct trace_pause pause;
	struct trace_end end;
	static const struct trace_string none = { "", 0 };

	if (trace_get_fact(record, &fact) == 0)
		say(dump, "fact", fact.key, fact.value);
	else if (trace_get_note(record, &note) == 0)
		say(dump, "note", note.text, none);
	else if (!dump->silent && trace_get_lost(record, &lost) == 0)
		printf("lost %u %llu\n", lost.thread, (unsigned long long)lost.count);
	else if (dump->quiet)
		return;
	else if (record->kind == TRACE_EXEC)
		printf("exec\n");
	else if (trace_get_child(record, &child) == 0)
		printf("child %u %.*s%s%.*s\n", child.pid, (int)child.name.length, child.name.data,
		       child.reason.length ? ": " : "", (int)child.reason.length, child.reason.data);
	else if (trace_get_relative(record, &r) == 0)
		printf("relative %u %u %u %u %u %u %.*s %.*s\n", r.number, r.pid, r.parent, r.came,
		       r.how, r.value, (int)r.name.length, r.name.data, (int)r.file.length, r.file.data);
	else if (trace_get_marker(record, &marker) == 0)
		printf("marker %llu %.*s\n", (unsigned long long)trace_time(&dump->clock, marker.stamp),
		       (int)marker.name.length, marker.name.data);
	else if (trace_get_pause(record, &pause) == 0)
		printf("pause %llu %u %llu %llu\n", (unsigned long long)trace_time(&dump->clock, pause.stamp),
		       pause.paused, (unsigned long long)pause.calls, (unsigned long long)pause.bytes);
	else if (trace_get_end(record, &end) == 0)
		printf("end %u %u %llu\n", end.how, end.value, (unsigned long long)end.events);
}

static void read_record(struct dump *dump, const struct trace_record *record)
{
	switch (record->kind) {
	case TRACE_CLOCK:
		trace_get_clock(record, &dump->clock);
		break;
	case TRACE_THREAD:
		read_thread(dump, record);
		break;
	case TRACE_MODULE:
	case TRACE_MODULE_END:
		read_module(dump, record);
		break;
	case TRACE_STACKS:
		read_stacks(dump, record);
		break;
	case TRACE_EVENTS:
		read_events(dump, record);
		break;
	case TRACE_STRING:
		read_string(dump, record);
		break;
	case TRACE_SYMBOLS:
		read_symbols(dump, record);
		break;
	case TRACE_SYNC:
		dump->syncs++;
		break;
	case TRACE_COUNTERS:
		read_counters(dump, record);
		break;
	case TRACE_RSS:
		dump->samples++;
		break;
	default:
		note_mark(dump, record);
		read_mark(dump, record);
	}
}

static void read_chunks(struct dump *dump, struct store_reader *reader)
{
	struct chunk_summary summary;
	const uint8_t *records;
	size_t length;
	int got;

	while ((got = store_next(reader, &records, &length, &summary)) != 0) {
		struct trace_in in = { records, length, 0 };
		struct trace_record record;

		while (got == 1 && summary.session == dump->session && trace_next(&in, &record) == 1)
			read_record(dump, &record);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct dump_event *a = left, *b = right;

	if (a->event.stamp != b->event.stamp)
		return a->event.stamp < b->event.stamp ? -1 : 1;
	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

int dump_read(struct dump *dump, const char *path)
{
	static char block[1 << 16];
	struct store_reader *reader;
	FILE *in = fopen(path, "rb");
	uint64_t bytes;
	size_t got;
	int status = 0;

	if (!in)
		return -errno;
	map_init(&dump->addresses);
	map_init(&dump->counter_at);
	reader = store_reader_new();
	while (status == 0 && (got = fread(block, 1, sizeof(block), in)) > 0) {
		status = store_feed(reader, block, got);
		if (status == 0)
			read_chunks(dump, reader);
	}
	if (dump->events.count)
		qsort(dump->events.items, dump->events.count, sizeof(*dump->events.items), by_time);
	if (!dump->quiet && status == 0)
		printf("sync %zu\nrss %zu\nfile %d %llu %llu\n", dump->syncs, dump->samples,
			store_complete(reader), (unsigned long long)store_damaged(reader, &bytes),
			(unsigned long long)store_leftover(reader));
	store_reader_free(reader);
	fclose(in);
	return status;
}

static uint64_t address_of(const struct dump *dump, const struct trace_stack_node *node, uint32_t *module)
{
	uint64_t pc = DEPOT_PC(node->frame) - !(node->flags & DEPOT_EXACT);
	uint16_t epoch = DEPOT_EPOCH(node->frame);

	for (size_t i = 0; i < dump->modules.count; i++) {
		const struct dump_module *row = &dump->modules.items[i];

		if (pc >= row->module.start && pc < row->module.end && epoch >= row->module.epoch &&
		    epoch < row->end_epoch) {
			*module = row->module.module;
			return pc - row->module.bias;
		}
	}
	*module = 0;
	return pc;
}

void dump_frames_print(const struct dump *dump, uint32_t stack)
{
	if (stack < DEPOT_FIRST) {
		printf("%s", stack == STACK_NONE ? "-" : "...");
		return;
	}
	while (stack >= DEPOT_FIRST && stack < dump->nodes.count) {
		const struct trace_stack_node *node = &dump->nodes.items[stack];
		uint32_t module;
		uint64_t address = address_of(dump, node, &module), at;

		if (map_get(&dump->addresses, address_key(module, address), &at))
			printf("%s", dump->functions.items[at]);
		else
			printf("?0x%llx", (unsigned long long)DEPOT_PC(node->frame));
		stack = node->parent;
		if (stack != STACK_COMPLETE)
			putchar(';');
	}
	if (stack != STACK_COMPLETE)
		printf("...");
}

void dump_release(struct dump *dump)
{
	for (size_t i = 0; i < dump->strings.count; i++)
		free(dump->strings.items[i]);
	for (size_t i = 0; i < dump->functions.count; i++)
		free(dump->functions.items[i]);
	vector_release(&dump->events);
	vector_release(&dump->modules);
	vector_release(&dump->nodes);
	vector_release(&dump->strings);
	vector_release(&dump->functions);
	vector_release(&dump->tids);
	map_release(&dump->addresses);
	map_release(&dump->counter_at);
	vector_release(&dump->execs);
	vector_release(&dump->counters);
}
