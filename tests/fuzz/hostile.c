/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of a hostile target. */
#include "tests/fuzz/hostile.h"

#include <string.h>
#include <sys/mman.h>

#include "trace/functions.h"

#define MODULES_CLEARED	64u
#define TICKS		100000u		/* between steps */

void hostile_map(struct hostile *h)
{
	struct channel_layout l = channel_layout(HOSTILE_THREADS, HOSTILE_NODES, HOSTILE_CHUNKS, true);
	struct session_channel c = {
		.region_offset = channel_page_up(sizeof(struct channel_header)), .region_bytes = l.bytes,
		.region_count = 1, .nodes_max = HOSTILE_NODES, .chunks_max = HOSTILE_CHUNKS,
		.threads_max = HOSTILE_THREADS,
		.settings = { .thread_chunks = HOSTILE_CHUNKS / 2, .wake_chunks = 2, .clock = CLOCK_TSC },
	};
	char *base;

	c.segment_bytes = c.region_offset + l.bytes;
	base = mmap(NULL, c.segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	fuzz_rule(base != MAP_FAILED);
	c.header = (struct channel_header *)base;
	base += c.region_offset;
	*h = (struct hostile){
		.channel = c, .region = (struct channel_region *)base,
		.threads = (struct channel_thread *)(base + l.threads),
		.modules = (struct channel_module *)(base + l.modules),
		.nodes = (struct depot_node *)(base + l.nodes),
		.chunks = (struct channel_chunk *)(base + l.chunk_headers),
		.events = (struct channel_event *)(base + l.chunks), .counters = base + l.counters,
	};
}

void hostile_clear(struct hostile *h)
{
	memset(h->channel.header, 0, sizeof(*h->channel.header));
	memset(h->region, 0, sizeof(*h->region));
	memset(h->threads, 0, HOSTILE_THREADS * sizeof(*h->threads));
	memset(h->modules, 0, h->modules_used * sizeof(*h->modules));
	memset(h->nodes, 0, HOSTILE_NODES * sizeof(*h->nodes));
	memset(h->chunks, 0, HOSTILE_CHUNKS * sizeof(*h->chunks));
	memset(h->events, 0, (size_t)HOSTILE_CHUNKS * CHANNEL_CHUNK_BYTES);
	if (h->counters_used)
		memset(h->counters, 0, HOSTILE_THREADS * CHANNEL_COUNTERS_STRIDE);
	memset(h->writer, 0, sizeof(h->writer));
	h->modules_used = 0;
	h->counters_used = false;
	h->region->node_fresh = DEPOT_FIRST;
	h->region->pid = 1;
	h->region->start_stamp = h->now;
	h->region->state = REGION_READY;
}

static void poke(void *start, size_t bytes, struct fuzz_in *in)
{
	size_t at = (size_t)fuzz_take(in, 2) % (bytes / 4) * 4;
	uint64_t width = fuzz_take(in, 1) % 2 ? 4 : 8, value = fuzz_take(in, (unsigned)width);

	memcpy((char *)start + at, &value, bytes - at < width ? bytes - at : width);
}

static void take_bytes(struct fuzz_in *in, void *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = (char)fuzz_take(in, 1);
}

/* A free chunk becomes the thread's next one.  False: there is none. */
static bool next_chunk(struct hostile *h, uint32_t slot)
{
	uint32_t chunk = 0, old = h->writer[slot].chunk;
	struct channel_thread *t = &h->threads[slot];
	struct channel_chunk *c;

	while (chunk < HOSTILE_CHUNKS && h->chunks[chunk].ordinal)
		chunk++;
	if (chunk == HOSTILE_CHUNKS)
		return false;
	c = &h->chunks[chunk];
	if (h->region->chunk_fresh <= chunk)
		h->region->chunk_fresh = chunk + 1;
	c->owner = slot;
	c->ordinal = ++h->writer[slot].ordinal;
	t->pos = CHANNEL_POS(chunk, channel_generation(c->uses));
	if (old)
		h->chunks[old - 1].next = chunk + 1;
	else
		t->first_chunk = chunk + 1;
	h->writer[slot].chunk = chunk + 1;
	h->writer[slot].slot = 0;
	return true;
}

static void push(struct hostile *h, uint32_t slot, struct channel_event event, uint32_t stack, unsigned op)
{
	uint32_t chunk;
	struct channel_event *e;

	if ((!h->writer[slot].chunk || h->writer[slot].slot >= CHANNEL_CHUNK_SLOTS) && !next_chunk(h, slot))
		return;
	chunk = h->writer[slot].chunk - 1;
	e = &h->events[chunk * CHANNEL_CHUNK_SLOTS + h->writer[slot].slot++];
	e->stamp = event.stamp;
	e->ptr = event.ptr;
	e->size = event.size;
	e->tag = EVENT_TAG(stack, op, channel_generation(h->chunks[chunk].uses));
	h->threads[slot].pos++;
	h->threads[slot].last_stamp = event.stamp;
}

static void push_some(struct hostile *h, uint32_t slot, struct fuzz_in *in)
{
	unsigned count = (unsigned)fuzz_take(in, 1) + 1, op = (unsigned)fuzz_take(in, 1);
	struct channel_event event = { .stamp = h->now, .ptr = fuzz_take(in, 2) * 16 };
	uint32_t stack = (uint32_t)fuzz_take(in, 1);

	event.size = fuzz_take(in, 2);
	for (unsigned i = 0; i < count; i++, event.ptr += 64, event.stamp++)
		push(h, slot, event, stack, i % 3 == 2 ? OP_FREE : op);
}

static void claim(struct hostile *h, uint32_t slot, struct fuzz_in *in)
{
	struct channel_thread *t = &h->threads[slot];

	if (h->region->thread_fresh <= slot)
		h->region->thread_fresh = slot + 1;
	t->life += 2;
	t->pos = 0;
	t->first_chunk = 0;
	t->tid = (uint32_t)fuzz_take(in, 2);
	take_bytes(in, t->name, 8);
	t->name_seq = 2;
	t->state = THREAD_LIVE;
	memset(&h->writer[slot], 0, sizeof(h->writer[slot]));
}

static void add_node(struct hostile *h, struct fuzz_in *in)
{
	uint32_t id = h->region->node_fresh;

	if (id < DEPOT_FIRST || id >= HOSTILE_NODES)
		return;
	h->region->node_fresh = id + 1;
	h->nodes[id].parent = (uint32_t)fuzz_take(in, 1);
	h->nodes[id].flags = (uint32_t)fuzz_take(in, 1);
	h->nodes[id].frame = fuzz_take(in, 8);
}

static void set_node(struct hostile *h, struct fuzz_in *in)
{
	struct depot_node *n = &h->nodes[fuzz_take(in, 1) % HOSTILE_NODES];

	n->parent = (uint32_t)fuzz_take(in, 4);
	n->flags = (uint32_t)fuzz_take(in, 1);
	n->frame = fuzz_take(in, 8);
}

static void add_module(struct hostile *h, struct fuzz_in *in)
{
	uint32_t index = (uint32_t)fuzz_take(in, 1) % MODULES_CLEARED;
	struct channel_module *m = &h->modules[index];

	m->start = fuzz_take(in, 6);
	m->end = m->start + fuzz_take(in, 4);
	m->bias = fuzz_take(in, 8);
	m->load_epoch = (uint16_t)fuzz_take(in, 1);
	m->unload_stamp = fuzz_take(in, 1) % 2 ? h->now : 0;
	m->unload_epoch = (uint16_t)fuzz_take(in, 1);
	m->build_id_len = (uint32_t)fuzz_take(in, 1);
	take_bytes(in, m->build_id, 4);
	memset(m->path, 0, sizeof(m->path));
	take_bytes(in, m->path, (size_t)fuzz_take(in, 1) % sizeof(m->path));
	m->ready = 1;
	if (h->modules_used <= index)
		h->modules_used = index + 1;
	if (h->region->module_count <= index)
		h->region->module_count = index + 1;
}

static void count_call(struct hostile *h, struct fuzz_in *in)
{
	uint32_t slot = (uint32_t)fuzz_take(in, 1) % HOSTILE_THREADS;
	struct channel_counters *c = (struct channel_counters *)(h->counters + slot * CHANNEL_COUNTERS_STRIDE);
	unsigned row = (unsigned)fuzz_take(in, 1) % CHANNEL_COUNTER_ROWS, rows = (unsigned)fuzz_take(in, 1) + 1;

	for (; rows && row < CHANNEL_COUNTER_ROWS; rows--, row++) {
		c->used[row / 64] |= 1ull << row % 64;
		for (unsigned bucket = 0; bucket < CHANNEL_COUNTER_BUCKETS; bucket++) {
			c->cells[row][bucket].count += fuzz_take(in, 1) + bucket;
			c->cells[row][bucket].bytes += 1ull << fuzz_take(in, 1) % 64;
		}
	}
	h->counters_used = true;
}

static void say_words(struct hostile *h, struct fuzz_in *in)
{
	struct channel_child *child = &h->region->children[fuzz_take(in, 1) % CHANNEL_CHILDREN_MAX];

	if (fuzz_take(in, 1) % 2) {
		h->region->child_count += (uint32_t)fuzz_take(in, 1);
		child->pid = (uint32_t)fuzz_take(in, 2);
		take_bytes(in, child->name, (size_t)fuzz_take(in, 1) % (sizeof(child->name) + 1));
	} else {
		h->region->stopped = 1;
		take_bytes(in, h->region->stop_reason, (size_t)fuzz_take(in, 1) % (sizeof(h->region->stop_reason) + 1));
	}
}

/* Also what no hook would write. */
static void poke_somewhere(struct hostile *h, struct fuzz_in *in)
{
	switch (fuzz_take(in, 1) % 8) {
	case 0:
		poke(h->channel.header, sizeof(*h->channel.header), in);
		break;
	case 1:
		poke(h->region, offsetof(struct channel_region, ranges), in);
		break;
	case 2:
	case 3:
		poke(h->threads, HOSTILE_THREADS * sizeof(*h->threads), in);
		break;
	case 4:
	case 5:
		poke(h->chunks, HOSTILE_CHUNKS * sizeof(*h->chunks), in);
		break;
	case 6:
		poke(h->events, (size_t)HOSTILE_CHUNKS * CHANNEL_CHUNK_BYTES, in);
		break;
	default:
		h->modules_used = MODULES_CLEARED;
		poke(h->modules, MODULES_CLEARED * sizeof(*h->modules), in);
	}
}

enum hostile_wish hostile_step(struct hostile *h, struct fuzz_in *in)
{
	unsigned step = (unsigned)fuzz_take(in, 1), slot = step / 16 % HOSTILE_THREADS;
	struct channel_event exit = { .stamp = h->now += TICKS };

	switch (step % 16) {
	case 0:
	case 1:
		return HOSTILE_PASS;
	case 2:
	case 3:
		claim(h, slot, in);
		break;
	case 4:
	case 5:
		push_some(h, slot, in);
		break;
	case 6:
		push(h, slot, exit, STACK_NONE, OP_EXIT);
		h->threads[slot].state = THREAD_EXITED;
		break;
	case 7:
		add_node(h, in);
		break;
	case 8:
		set_node(h, in);
		break;
	case 9:
		add_module(h, in);
		break;
	case 10:
		count_call(h, in);
		break;
	case 11:
		say_words(h, in);
		break;
	case 12:
		h->threads[slot].bytes = fuzz_take(in, 8);
		h->threads[slot].lost += fuzz_take(in, 1);
		break;
	case 13:
		return slot % 2 ? HOSTILE_GONE : HOSTILE_EXEC;
	default:
		poke_somewhere(h, in);
	}
	return HOSTILE_NOTHING;
}
