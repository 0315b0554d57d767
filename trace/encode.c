/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of trace/format.h into bytes: all but events (encode_events.c). */
#include "trace/encode.h"

#include <errno.h>
#include <stdbool.h>

#include "trace/functions.h"
#include "trace/varint.h"

/* A record being written.  The payload begins where it would if its length took one byte;
 * record_end moves it when it takes more. */
struct put {
	struct trace_out *out;
	uint8_t *start, *at, *end;
	int err;
};

static struct put record_begin(struct trace_out *out, enum trace_kind kind)
{
	struct put p = { out, out->data + out->length, NULL, out->data + out->capacity, 0 };

	p.at = p.start + 2;
	if (out->capacity - out->length < 2) {
		p.err = -ENOSPC;
		return p;
	}
	p.start[0] = (uint8_t)kind;
	return p;
}

static void put_varint(struct put *p, uint64_t value)
{
	if (!p->err && (size_t)(p->end - p->at) < varint_length(value))
		p->err = -ENOSPC;
	if (!p->err)
		p->at = varint_write(p->at, value);
}

static void put_bytes(struct put *p, const struct trace_string *s)
{
	if (!p->err && (size_t)(p->end - p->at) < s->length)
		p->err = -ENOSPC;
	for (size_t i = 0; !p->err && i < s->length; i++)
		*p->at++ = (uint8_t)s->data[i];
}

static void put_string(struct put *p, struct trace_string s)
{
	if (s.length > TRACE_STRING_MAX && !p->err)
		p->err = -EINVAL;
	put_varint(p, s.length);
	put_bytes(p, &s);
}

static int record_end(struct put *p)
{
	size_t length, width;

	if (p->err)
		return p->err;
	length = (size_t)(p->at - p->start) - 2;
	width = varint_length(length);
	if ((size_t)(p->end - p->at) < width - 1)
		return -ENOSPC;
	if (width > 1) {
		for (size_t i = length; i-- > 0; )
			p->start[1 + width + i] = p->start[2 + i];
	}
	varint_write(p->start + 1, length);
	p->out->length += 1 + width + length;
	return 0;
}

int trace_put_fact(struct trace_out *out, const struct trace_fact *fact)
{
	struct put p = record_begin(out, TRACE_FACT);

	put_string(&p, fact->key);
	put_string(&p, fact->value);
	return record_end(&p);
}

int trace_put_clock(struct trace_out *out, const struct trace_clock *clock)
{
	struct put p = record_begin(out, TRACE_CLOCK);

	put_varint(&p, clock->base);
	put_varint(&p, clock->mult);
	return record_end(&p);
}

int trace_put_thread(struct trace_out *out, const struct trace_thread *thread)
{
	struct put p = record_begin(out, TRACE_THREAD);

	put_varint(&p, thread->thread);
	put_varint(&p, thread->tid);
	put_varint(&p, thread->stamp);
	put_string(&p, thread->name);
	return record_end(&p);
}

int trace_put_module(struct trace_out *out, const struct trace_module *module)
{
	struct put p = record_begin(out, TRACE_MODULE);

	put_varint(&p, module->module);
	put_varint(&p, module->epoch);
	put_varint(&p, module->start);
	put_varint(&p, module->end);
	put_varint(&p, module->bias);
	put_varint(&p, module->stamp);
	put_string(&p, module->path);
	put_string(&p, module->build_id);
	return record_end(&p);
}

int trace_put_module_end(struct trace_out *out, const struct trace_module_end *end)
{
	struct put p = record_begin(out, TRACE_MODULE_END);

	put_varint(&p, end->module);
	put_varint(&p, end->epoch);
	put_varint(&p, end->stamp);
	return record_end(&p);
}

int trace_put_symbols(struct trace_out *out, const struct trace_symbols *symbols)
{
	struct put p = record_begin(out, TRACE_SYMBOLS);

	if (symbols->count > TRACE_INLINE_MAX)
		return -EINVAL;
	put_varint(&p, symbols->module);
	put_varint(&p, symbols->address);
	put_varint(&p, symbols->offset);
	put_varint(&p, symbols->count);
	for (uint32_t i = 0; i < symbols->count; i++) {
		put_varint(&p, symbols->frames[i].function);
		put_varint(&p, symbols->frames[i].file);
		put_varint(&p, symbols->frames[i].line);
	}
	return record_end(&p);
}

int trace_put_string(struct trace_out *out, const struct trace_string_def *string)
{
	struct put p = record_begin(out, TRACE_STRING);

	put_varint(&p, string->id);
	put_string(&p, string->text);
	return record_end(&p);
}

int trace_put_rss(struct trace_out *out, const struct trace_rss *rss)
{
	struct put p = record_begin(out, TRACE_RSS);

	put_varint(&p, rss->stamp);
	put_varint(&p, rss->rss);
	put_varint(&p, rss->anon);
	put_varint(&p, rss->file);
	put_varint(&p, rss->shmem);
	put_varint(&p, rss->swap);
	put_varint(&p, rss->stacks);
	return record_end(&p);
}

int trace_put_resident(struct trace_out *out, const struct trace_resident *resident)
{
	struct put p = record_begin(out, TRACE_RESIDENT);
	const struct trace_string *packed = &resident->packed;

	if (packed->length > TRACE_RESIDENT_MAX)
		return -EINVAL;
	put_varint(&p, resident->stamp);
	put_varint(&p, resident->page);
	put_varint(&p, resident->flags);
	put_varint(&p, resident->count);
	put_varint(&p, packed->length);
	put_bytes(&p, packed);
	return record_end(&p);
}

int trace_put_sync(struct trace_out *out, const struct trace_sync *sync)
{
	struct put p = record_begin(out, TRACE_SYNC);

	put_varint(&p, sync->stamp);
	return record_end(&p);
}

int trace_put_lost(struct trace_out *out, const struct trace_lost *lost)
{
	struct put p = record_begin(out, TRACE_LOST);

	put_varint(&p, lost->thread);
	put_varint(&p, lost->stamp);
	put_varint(&p, lost->count);
	return record_end(&p);
}

int trace_put_counters(struct trace_out *out, const struct trace_counters *counters)
{
	struct put p = record_begin(out, TRACE_COUNTERS);

	if (counters->count > TRACE_COUNTERS_MAX)
		return -EINVAL;
	put_varint(&p, counters->thread);
	put_varint(&p, counters->stamp);
	put_varint(&p, counters->count);
	for (uint32_t i = 0; i < counters->count; i++) {
		const struct trace_counter *c = &counters->cells[i];

		put_varint(&p, c->op > OP_PSEUDO_BASE ? 0 : c->op);
		put_varint(&p, c->bucket);
		put_varint(&p, c->count);
		put_varint(&p, c->bytes);
	}
	return record_end(&p);
}

int trace_put_exec(struct trace_out *out, const struct trace_exec *exec)
{
	struct put p = record_begin(out, TRACE_EXEC);

	put_varint(&p, exec->stamp);
	put_string(&p, exec->exe);
	return record_end(&p);
}

int trace_put_child(struct trace_out *out, const struct trace_child *child)
{
	struct put p = record_begin(out, TRACE_CHILD);

	put_varint(&p, child->pid);
	put_string(&p, child->name);
	put_string(&p, child->reason);
	return record_end(&p);
}

int trace_put_relative(struct trace_out *out, const struct trace_relative *relative)
{
	struct put p = record_begin(out, TRACE_RELATIVE);

	put_varint(&p, relative->number);
	put_varint(&p, relative->pid);
	put_varint(&p, relative->parent);
	put_varint(&p, relative->came);
	put_varint(&p, relative->how);
	put_varint(&p, relative->value);
	put_string(&p, relative->name);
	put_string(&p, relative->file);
	return record_end(&p);
}

int trace_put_note(struct trace_out *out, const struct trace_note *note)
{
	struct put p = record_begin(out, TRACE_NOTE);

	put_string(&p, note->text);
	return record_end(&p);
}

int trace_put_marker(struct trace_out *out, const struct trace_marker *marker)
{
	struct put p = record_begin(out, TRACE_MARKER);

	put_varint(&p, marker->stamp);
	put_string(&p, marker->name);
	return record_end(&p);
}

int trace_put_pause(struct trace_out *out, const struct trace_pause *pause)
{
	struct put p = record_begin(out, TRACE_PAUSE);

	put_varint(&p, pause->stamp);
	put_varint(&p, pause->paused);
	put_varint(&p, pause->calls);
	put_varint(&p, pause->bytes);
	return record_end(&p);
}

int trace_put_end(struct trace_out *out, const struct trace_end *end)
{
	struct put p = record_begin(out, TRACE_END);

	put_varint(&p, end->stamp);
	put_varint(&p, end->how);
	put_varint(&p, end->value);
	put_varint(&p, end->events);
	return record_end(&p);
}

size_t trace_stacks_bound(size_t count)
{
	/* kind, length, first, count; then parent, frame and flags of each */
	return 1 + 3 * VARINT_MAX + count * (5 + VARINT_MAX + 5);
}

int trace_put_stacks(struct trace_out *out, const struct trace_stack_node *nodes, size_t count)
{
	struct put p = record_begin(out, TRACE_STACKS);
	uint64_t last = 0;

	if (!count)
		return 0;
	if (count > TRACE_BATCH_MAX)
		return -EINVAL;
	if (out->capacity - out->length < trace_stacks_bound(count))
		return -ENOSPC;
	put_varint(&p, nodes[0].id);
	put_varint(&p, count);
	for (size_t i = 0; i < count; i++) {
		if (nodes[i].id != nodes[0].id + i)
			return -EINVAL;
		/* A new stack is a chain of nodes: the parent is mostly the node before. */
		put_varint(&p, zigzag((uint64_t)nodes[i].id - 1 - nodes[i].parent));
	}
	for (size_t i = 0; i < count; last = nodes[i++].frame)
		put_varint(&p, zigzag(nodes[i].frame - last));
	for (size_t i = 0; i < count; i++)
		put_varint(&p, nodes[i].flags);
	return record_end(&p);
}
