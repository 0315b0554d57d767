/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of a .mtk trace into the heap. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/state.h"
#include "trace/encode.h"

static uint32_t intern_string(struct heap *heap, const struct trace_string *s)
{
	return intern_put(heap->modules.strings, s->length ? s->data : "", s->length);
}

static bool string_is(const struct trace_string *s, const char *text)
{
	struct trace_string t = trace_string(text);

	return s->length == t.length && (!t.length || !memcmp(s->data, text, t.length));
}

/* Does the fact say that allocations were left out by request? */
static bool fact_leaves_out(const struct trace_fact *fact)
{
	if (string_is(&fact->key, "min-size"))
		return fact->value.length && !string_is(&fact->value, "0");
	if (string_is(&fact->key, "track-threads") || string_is(&fact->key, "sample"))
		return fact->value.length && !string_is(&fact->value, "0");
	if (string_is(&fact->key, "options"))
		return fact->value.length && memmem(fact->value.data, fact->value.length, "track-threads", 13);
	return false;
}

static bool fact_attached(const struct trace_fact *fact)
{
	return string_is(&fact->key, "attached") && string_is(&fact->value, "1");
}

/* Had the program blocks before the trace began? */
static bool fact_older(const struct trace_fact *fact)
{
	if (string_is(&fact->key, "came"))	/* it began with its parent's blocks */
		return string_is(&fact->value, "fork");
	if (string_is(&fact->key, "method"))
		return !string_is(&fact->value, "preload");
	return fact_attached(fact);
}

/* Comes before the events, else they are counted already. */
static void fact_sample(struct heap *heap, const struct trace_fact *fact)
{
	char number[24] = "";
	unsigned long long period;

	if (!string_is(&fact->key, "sample") || fact->value.length >= sizeof(number))
		return;
	memcpy(number, fact->value.data, fact->value.length);
	period = strtoull(number, NULL, 10);
	if (period && sampling_start(heap, period))
		heap_note(heap, "the trace says too late that it was sampled: its figures are those of the samples alone");
}

static int take_fact(struct heap *heap, const struct trace_record *record)
{
	struct trace_fact fact;
	int error = trace_get_fact(record, &fact);
	struct fact kept;

	if (error)
		return error;
	kept.key = intern_string(heap, &fact.key);
	kept.value = intern_string(heap, &fact.value);
	heap->attached |= fact_attached(&fact);
	heap->left_out |= fact_leaves_out(&fact);
	heap->filtered |= heap->left_out || fact_older(&fact);
	heap->watched |= string_is(&fact.key, "findings") && string_is(&fact.value, "1");
	fact_sample(heap, &fact);
	heap_put_fact(heap, kept.key, kept.value);
	return 0;
}

static int take_clock(struct heap *heap, const struct trace_record *record)
{
	struct trace_clock clock;
	int error = trace_get_clock(record, &clock);

	if (error || !clock.mult)
		return error;
	heap->clock = clock;
	heap->clock_known = true;
	repair_windows(heap);
	return 0;
}

/* Valid until the next thread is made. */
static struct thread *thread_of(struct heap *heap, uint32_t serial)
{
	uint32_t index = thread_index(heap, serial);

	return &heap->threads.items[index];
}

static int take_thread(struct heap *heap, const struct trace_record *record)
{
	struct trace_thread thread;
	int error = trace_get_thread(record, &thread);
	struct thread *t;
	uint32_t name;

	if (error)
		return error;
	t = thread_of(heap, thread.thread);
	t->tid = thread.tid;
	name = intern_string(heap, &thread.name);
	heap->names_generation += name != t->name;
	t->name = name;
	return 0;
}

static int take_module(struct heap *heap, const struct trace_record *record)
{
	struct trace_module module;
	int error = trace_get_module(record, &module);

	if (error)
		return error;
	modules_add(&heap->modules, &module);
	stack_table_modules_changed(&heap->stacks);
	return 0;
}

static int take_module_end(struct heap *heap, const struct trace_record *record)
{
	struct trace_module_end end;
	int error = trace_get_module_end(record, &end);

	if (!error)
		modules_end(&heap->modules, &end);
	return error;
}

static int take_stacks(struct heap *heap, const struct trace_record *record)
{
	size_t count = trace_record_count(record);
	struct trace_stack_node *nodes = xreallocarray(NULL, count ? count : 1, sizeof(*nodes));
	int got = trace_get_stacks(record, nodes, count);

	for (int i = 0; i < got; i++)
		stack_table_define(&heap->stacks, &heap->modules, &nodes[i]);
	free(nodes);
	return got < 0 ? got : 0;
}

static int take_events(struct heap *heap, const struct trace_record *record)
{
	size_t count = trace_record_count(record);
	struct trace_event *events;
	uint32_t serial, thread;
	int got;

	if (!count)
		return record->length ? -EBADMSG : 0;
	vector_reserve(&heap->decoded, count);
	events = heap->decoded.items;
	got = trace_get_events(record, &serial, events, count);
	if (got <= 0)
		return got;
	for (int i = 0; i < got; i++)
		events[i].stack = stack_table_id(&heap->stacks, events[i].stack);
	thread = thread_index(heap, serial);
	memcpy(order_reserve(heap, thread, (size_t)got), events, (size_t)got * sizeof(*events));
	order_commit(heap, thread, (size_t)got);
	return 0;
}

static int take_symbols(struct heap *heap, const struct trace_record *record)
{
	struct trace_symbol_frame frames[TRACE_INLINE_MAX];
	struct trace_symbols symbols;
	int error = trace_get_symbols(record, &symbols, frames, TRACE_INLINE_MAX);

	if (!error)
		modules_symbols(&heap->modules, &symbols);
	return error;
}

static int take_string(struct heap *heap, const struct trace_record *record)
{
	struct trace_string_def string;
	int error = trace_get_string(record, &string);

	if (!error)
		modules_string(&heap->modules, &string);
	return error;
}

static int take_rss(struct heap *heap, const struct trace_record *record)
{
	struct trace_rss rss;
	int error = trace_get_rss(record, &rss);

	if (!error && !rss_add(heap, &rss))
		return -EAGAIN;
	return error;
}

static int take_resident(struct heap *heap, const struct trace_record *record)
{
	struct trace_resident resident;
	int error = trace_get_resident(record, &resident);

	if (!error && !rss_add_resident(heap, &resident))
		return -EAGAIN;
	return error;
}

static int take_sync(struct heap *heap, const struct trace_record *record)
{
	struct trace_sync sync;
	int error = trace_get_sync(record, &sync);

	if (error)
		return error;
	if (!rss_settle(heap, sync.stamp))
		return -EAGAIN;
	heap->sync_stamp = sync.stamp;
	heap_saw(heap, sync.stamp);
	return 0;
}

static int take_lost(struct heap *heap, const struct trace_record *record)
{
	struct trace_lost lost;
	int error = trace_get_lost(record, &lost);

	if (error)
		return error;
	heap->status.lost += lost.count;
	heap->status.inexact |= lost.count != 0;
	heap->filtered |= lost.count != 0;
	if (lost.thread)
		thread_of(heap, lost.thread)->lost += lost.count;
	return 0;
}

static int take_counters(struct heap *heap, const struct trace_record *record)
{
	struct trace_counter cells[TRACE_COUNTERS_MAX];
	struct trace_counters counters;
	int error = trace_get_counters(record, &counters, cells, TRACE_COUNTERS_MAX);

	if (!error)
		exact_take(heap, thread_index(heap, counters.thread), &counters);
	return error;
}

static int take_exec(struct heap *heap, const struct trace_record *record)
{
	struct trace_exec exec;
	int error = trace_get_exec(record, &exec);

	if (error)
		return error;
	if (!rss_settle(heap, UINT64_MAX) || !apply_exec(heap, exec.stamp))
		return -EAGAIN;
	modules_exec(&heap->modules);
	stack_table_modules_changed(&heap->stacks);
	return 0;
}

static int take_child(struct heap *heap, const struct trace_record *record)
{
	struct trace_child child;
	int error = trace_get_child(record, &child);

	if (error)
		return error;
	heap->status.children++;
	if (heap->children.count < CHILDREN_MAX)
		vector_push(&heap->children, (struct child){ child.pid, intern_string(heap, &child.name),
							     intern_string(heap, &child.reason) });
	return 0;
}

/* The newest record of a number holds. */
static int take_relative(struct heap *heap, const struct trace_record *record)
{
	struct trace_relative r;
	int error = trace_get_relative(record, &r);
	struct relative kept;
	uint64_t *index;
	bool created;

	if (error)
		return error;
	kept = (struct relative){
		.number = r.number, .pid = r.pid, .parent = r.parent, .came = r.came, .how = r.how, .value = r.value,
		.name = intern_string(heap, &r.name), .file = intern_string(heap, &r.file),
	};
	if (heap->relatives.count == RELATIVES_MAX && !map_find(&heap->relative_by_number, r.number))
		return 0;
	index = map_place(&heap->relative_by_number, r.number, &created);
	if (created) {
		*index = heap->relatives.count;
		vector_push(&heap->relatives, kept);
	}
	heap->relatives.items[*index] = kept;
	return 0;
}

static int take_note(struct heap *heap, const struct trace_record *record)
{
	struct trace_note note;
	int error = trace_get_note(record, &note);

	if (!error)
		heap_note(heap, "%.*s", (int)note.text.length, note.text.length ? note.text.data : "");
	return error;
}

static int take_marker(struct heap *heap, const struct trace_record *record)
{
	struct trace_marker marker;
	int error = trace_get_marker(record, &marker);

	if (!error)
		marks_add_marker(heap, marker.stamp, marker.name.data, marker.name.length);
	return error;
}

static int take_pause(struct heap *heap, const struct trace_record *record)
{
	struct trace_pause pause;
	int error = trace_get_pause(record, &pause);

	if (!error)
		marks_set_pause(heap, &pause);
	return error;
}

static enum heap_end_how end_how(uint32_t how)
{
	switch (how) {
	case 0:
		return HEAP_RUNNING;
	case TRACE_END_SIGNAL:
		return HEAP_KILLED;
	case TRACE_END_DETACH:
		return HEAP_DETACHED;
	case TRACE_END_UNKNOWN:
		return HEAP_ENDED;
	default:
		return HEAP_EXITED;
	}
}

void heap_relative_at(const struct heap *heap, size_t index, struct heap_relative *out)
{
	const struct relative *r = &heap->relatives.items[index];

	*out = (struct heap_relative){
		.number = r->number, .pid = r->pid, .parent = r->parent,
		.forked = r->came == TRACE_CAME_FORK, .end = end_how(r->how), .end_value = r->value,
		.name = intern_text(heap->modules.strings, r->name, NULL),
		.file = intern_text(heap->modules.strings, r->file, NULL),
	};
}

static int take_end(struct heap *heap, const struct trace_record *record)
{
	struct trace_end end;
	int error = trace_get_end(record, &end);

	if (error)
		return error;
	if (!rss_settle(heap, UINT64_MAX))
		return -EAGAIN;
	heap_saw(heap, end.stamp);
	heap->end_stamp = end.stamp;
	heap->status.end = end_how(end.how);
	heap->status.end_value = end.value;
	heap->status.expected_events = end.events;
	if (heap->status.end != HEAP_DETACHED) {
		heap->status.leaks_final = true;
		heap->exits++;
	}
	return 0;
}

/* -EAGAIN: it was left, and is to be called again. */
typedef int (*taker)(struct heap *heap, const struct trace_record *record);

static const taker takers[256] = {
	[TRACE_FACT] = take_fact, [TRACE_CLOCK] = take_clock, [TRACE_THREAD] = take_thread,
	[TRACE_MODULE] = take_module, [TRACE_MODULE_END] = take_module_end,
	[TRACE_STACKS] = take_stacks, [TRACE_EVENTS] = take_events, [TRACE_SYMBOLS] = take_symbols,
	[TRACE_STRING] = take_string, [TRACE_RSS] = take_rss, [TRACE_RESIDENT] = take_resident, [TRACE_SYNC] = take_sync,
	[TRACE_LOST] = take_lost, [TRACE_EXEC] = take_exec, [TRACE_CHILD] = take_child,
	[TRACE_NOTE] = take_note, [TRACE_END] = take_end, [TRACE_COUNTERS] = take_counters,
	[TRACE_RELATIVE] = take_relative, [TRACE_MARKER] = take_marker, [TRACE_PAUSE] = take_pause,
};

/* Whole records.  A damaged one is left out, and said; unknown kinds are skipped. */
bool mtk_records(struct heap *heap, struct trace_in *in)
{
	struct trace_record record;
	struct trace_in before;
	int got;

	heap->generation++;
	if (!recount_finish(heap) || (heap->settling && !mtk_settle(heap)))
		return false;
	for (;;) {
		taker take;
		int error;

		before = *in;
		if (!order_bound(heap))
			return false;
		got = trace_next(in, &record);
		if (got != 1)
			break;
		take = takers[(uint8_t)record.kind];
		error = take ? take(heap, &record) : 0;
		if (error == -EAGAIN) {
			*in = before;
			return false;
		}
		if (error)
			heap_damage(heap, "a damaged record was left out");
	}
	if (got < 0)
		heap_damage(heap, "a damaged chunk was left out in part");
	return true;
}

/* Pass on what waits for events of other threads. */
bool mtk_settle(struct heap *heap)
{
	if (!recount_finish(heap))
		return false;
	if (!heap->order.pending && !heap->rss_wait.count)
		return true;
	heap->settling = !rss_settle(heap, UINT64_MAX);
	heap->generation++;
	return !heap->settling;
}

/* After mtk_settle(). */
void mtk_end(struct heap *heap)
{
	struct heap_status *status = &heap->status;

	if (status->end == HEAP_RUNNING && !heap->options.follow) {
		status->cut = !status->damaged;
		status->damaged = true;
		heap_note(heap, "the trace has no end: memtrack was killed, or the file is cut off; "
			  "what was not freed by then is called live, not leaked");
	}
	if (status->expected_events > status->events && !status->damaged) {
		status->damaged = true;
		heap_note(heap, "the trace holds fewer events than its end record says");
	}
}
