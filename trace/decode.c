/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes into records of trace/format.h: all but events (decode_events.c). */
#include "trace/decode.h"

#include <errno.h>
#include <stdbool.h>

#include "trace/functions.h"
#include "trace/varint.h"

/* A payload being read.  After the first bad field all others read as 0. */
struct get {
	const uint8_t *at, *end;
	bool bad;
};

int trace_next(struct trace_in *in, struct trace_record *record)
{
	const uint8_t *end = in->data + in->length, *at = in->data + in->at;
	uint64_t length;

	if (in->at >= in->length)
		return 0;
	record->kind = (enum trace_kind)*at++;
	at = varint_read(at, end, &length);
	if (!at || length > TRACE_RECORD_MAX || length > (size_t)(end - at))
		return -EBADMSG;
	record->payload = at;
	record->length = (size_t)length;
	in->at = (size_t)(at - in->data) + record->length;
	return 1;
}

static struct get record_open(const struct trace_record *record, enum trace_kind kind)
{
	struct get g = { record->payload, record->payload + record->length, false };

	g.bad = record->kind != kind;
	return g;
}

static uint64_t get_varint(struct get *g)
{
	uint64_t value = 0;
	const uint8_t *at = g->bad ? NULL : varint_read(g->at, g->end, &value);

	if (!at) {
		g->bad = true;
		return 0;
	}
	g->at = at;
	return value;
}

static uint32_t get_varint32(struct get *g)
{
	uint64_t value = get_varint(g);

	if (value > UINT32_MAX)
		g->bad = true;
	return (uint32_t)value;
}

static struct trace_string get_bytes(struct get *g, size_t most)
{
	struct trace_string s = { NULL, (size_t)get_varint(g) };

	if (s.length > most || s.length > (size_t)(g->end - g->at))
		g->bad = true;
	if (g->bad)
		return (struct trace_string){ "", 0 };
	s.data = (const char *)g->at;
	g->at += s.length;
	return s;
}

static struct trace_string get_string(struct get *g)
{
	return get_bytes(g, TRACE_STRING_MAX);
}

static int record_close(const struct get *g)
{
	return g->bad ? -EBADMSG : 0;
}

int trace_get_fact(const struct trace_record *record, struct trace_fact *fact)
{
	struct get g = record_open(record, TRACE_FACT);

	fact->key = get_string(&g);
	fact->value = get_string(&g);
	return record_close(&g);
}

int trace_get_clock(const struct trace_record *record, struct trace_clock *clock)
{
	struct get g = record_open(record, TRACE_CLOCK);

	clock->base = get_varint(&g);
	clock->mult = get_varint(&g);
	return record_close(&g);
}

int trace_get_thread(const struct trace_record *record, struct trace_thread *thread)
{
	struct get g = record_open(record, TRACE_THREAD);

	thread->thread = get_varint32(&g);
	thread->tid = get_varint32(&g);
	thread->stamp = get_varint(&g);
	thread->name = get_string(&g);
	return record_close(&g);
}

int trace_get_module(const struct trace_record *record, struct trace_module *module)
{
	struct get g = record_open(record, TRACE_MODULE);

	module->module = get_varint32(&g);
	module->epoch = get_varint32(&g);
	module->start = get_varint(&g);
	module->end = get_varint(&g);
	module->bias = get_varint(&g);
	module->stamp = get_varint(&g);
	module->path = get_string(&g);
	module->build_id = get_string(&g);
	return record_close(&g);
}

int trace_get_module_end(const struct trace_record *record, struct trace_module_end *end)
{
	struct get g = record_open(record, TRACE_MODULE_END);

	end->module = get_varint32(&g);
	end->epoch = get_varint32(&g);
	end->stamp = get_varint(&g);
	return record_close(&g);
}

int trace_get_symbols(const struct trace_record *record, struct trace_symbols *symbols,
		      struct trace_symbol_frame *frames, size_t max)
{
	struct get g = record_open(record, TRACE_SYMBOLS);

	symbols->module = get_varint32(&g);
	symbols->address = get_varint(&g);
	symbols->offset = get_varint(&g);
	symbols->count = get_varint32(&g);
	symbols->frames = frames;
	if (symbols->count > max)
		symbols->count = (uint32_t)max;
	for (uint32_t i = 0; i < symbols->count && !g.bad; i++) {
		frames[i].function = get_varint32(&g);
		frames[i].file = get_varint32(&g);
		frames[i].line = get_varint32(&g);
	}
	return record_close(&g);
}

int trace_get_string(const struct trace_record *record, struct trace_string_def *string)
{
	struct get g = record_open(record, TRACE_STRING);

	string->id = get_varint32(&g);
	string->text = get_string(&g);
	return record_close(&g);
}

int trace_get_rss(const struct trace_record *record, struct trace_rss *rss)
{
	struct get g = record_open(record, TRACE_RSS);

	rss->stamp = get_varint(&g);
	rss->rss = get_varint(&g);
	rss->anon = get_varint(&g);
	rss->file = get_varint(&g);
	rss->shmem = get_varint(&g);
	rss->swap = get_varint(&g);
	rss->stacks = get_varint(&g);
	return record_close(&g);
}

int trace_get_resident(const struct trace_record *record, struct trace_resident *resident)
{
	struct get g = record_open(record, TRACE_RESIDENT);

	resident->stamp = get_varint(&g);
	resident->page = get_varint(&g);
	resident->flags = get_varint32(&g);
	resident->count = get_varint(&g);
	resident->packed = get_bytes(&g, TRACE_RESIDENT_MAX);
	return record_close(&g);
}

int trace_get_sync(const struct trace_record *record, struct trace_sync *sync)
{
	struct get g = record_open(record, TRACE_SYNC);

	sync->stamp = get_varint(&g);
	return record_close(&g);
}

int trace_get_lost(const struct trace_record *record, struct trace_lost *lost)
{
	struct get g = record_open(record, TRACE_LOST);

	lost->thread = get_varint32(&g);
	lost->stamp = get_varint(&g);
	lost->count = get_varint(&g);
	return record_close(&g);
}

int trace_get_counters(const struct trace_record *record, struct trace_counters *counters,
		       struct trace_counter *cells, size_t max)
{
	struct get g = record_open(record, TRACE_COUNTERS);

	counters->thread = get_varint32(&g);
	counters->stamp = get_varint(&g);
	counters->count = get_varint32(&g);
	counters->cells = cells;
	if (counters->count > max || counters->count > TRACE_COUNTERS_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < counters->count; i++) {
		uint32_t op = get_varint32(&g), bucket = get_varint32(&g);

		if (op > OP_PSEUDO_BASE || bucket > 9)
			return -EBADMSG;
		cells[i].op = op ? (uint8_t)op : OP_REALLOC_FREE;
		cells[i].bucket = (uint8_t)bucket;
		cells[i].count = get_varint(&g);
		cells[i].bytes = get_varint(&g);
	}
	return record_close(&g);
}

int trace_get_exec(const struct trace_record *record, struct trace_exec *exec)
{
	struct get g = record_open(record, TRACE_EXEC);

	exec->stamp = get_varint(&g);
	exec->exe = get_string(&g);
	return record_close(&g);
}

int trace_get_child(const struct trace_record *record, struct trace_child *child)
{
	struct get g = record_open(record, TRACE_CHILD);

	child->pid = get_varint32(&g);
	child->name = get_string(&g);
	/* traces of the first version end here */
	child->reason = g.at < g.end ? get_string(&g) : (struct trace_string){ 0 };
	return record_close(&g);
}

int trace_get_relative(const struct trace_record *record, struct trace_relative *relative)
{
	struct get g = record_open(record, TRACE_RELATIVE);

	relative->number = get_varint32(&g);
	relative->pid = get_varint32(&g);
	relative->parent = get_varint32(&g);
	relative->came = get_varint32(&g);
	relative->how = get_varint32(&g);
	relative->value = get_varint32(&g);
	relative->name = get_string(&g);
	relative->file = get_string(&g);
	return record_close(&g);
}

int trace_get_note(const struct trace_record *record, struct trace_note *note)
{
	struct get g = record_open(record, TRACE_NOTE);

	note->text = get_string(&g);
	return record_close(&g);
}

int trace_get_marker(const struct trace_record *record, struct trace_marker *marker)
{
	struct get g = record_open(record, TRACE_MARKER);

	marker->stamp = get_varint(&g);
	marker->name = get_string(&g);
	return record_close(&g);
}

int trace_get_pause(const struct trace_record *record, struct trace_pause *pause)
{
	struct get g = record_open(record, TRACE_PAUSE);

	pause->stamp = get_varint(&g);
	pause->paused = get_varint32(&g);
	pause->calls = get_varint(&g);
	pause->bytes = get_varint(&g);
	return record_close(&g);
}

int trace_get_end(const struct trace_record *record, struct trace_end *end)
{
	struct get g = record_open(record, TRACE_END);

	end->stamp = get_varint(&g);
	end->how = get_varint32(&g);
	end->value = get_varint32(&g);
	end->events = get_varint(&g);
	return record_close(&g);
}

size_t trace_record_count(const struct trace_record *record)
{
	struct get g = record_open(record, record->kind);
	uint64_t count;

	/* An event takes at least its op byte, stamp and back; a node parent, frame and flags. */
	if (record->kind != TRACE_EVENTS && record->kind != TRACE_STACKS)
		return 0;
	get_varint(&g);
	count = get_varint(&g);
	if (g.bad || count > TRACE_BATCH_MAX || count * 3 > record->length)
		return 0;
	return (size_t)count;
}

int trace_get_stacks(const struct trace_record *record, struct trace_stack_node *out, size_t max)
{
	struct get g = record_open(record, TRACE_STACKS);
	size_t count = g.bad ? 0 : trace_record_count(record);
	uint32_t first = get_varint32(&g);
	uint64_t frame = 0;

	if (get_varint(&g) != count || count > max || first > UINT32_MAX - count)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		uint32_t id = first + (uint32_t)i;

		out[i].id = id;
		out[i].parent = id - 1 - (uint32_t)unzigzag(get_varint(&g));
	}
	for (size_t i = 0; i < count; i++)
		out[i].frame = frame += unzigzag(get_varint(&g));
	for (size_t i = 0; i < count; i++)
		out[i].flags = get_varint32(&g);
	return g.bad ? -EBADMSG : (int)count;
}
