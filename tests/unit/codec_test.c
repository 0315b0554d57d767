/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The codec: every record comes back as it went in, and no damaged record does harm. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/tap.h"
#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/functions.h"
#include "trace/ops.h"

#define BUFFER_BYTES	16384u
#define EVENTS_MAX	200u

static uint64_t seed = 88172645463325252ull;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Numbers of all lengths, the extremes among them. */
static uint64_t random_number(void)
{
	uint64_t r = random_next();

	if (r % 16 == 0)
		return r % 32 ? UINT64_MAX : 0;
	return random_next() >> r % 64;
}

static uint8_t random_op(void)
{
	uint64_t r = random_next();

	return (uint8_t)(r % 8 ? r / 8 % OP_FUNCTIONS_END : OP_PSEUDO_BASE + 1 + r / 8 %
			 (OP_END - OP_PSEUDO_BASE - 1));
}

static size_t random_events(struct trace_event *e)
{
	size_t count = 1 + random_next() % EVENTS_MAX;

	memset(e, 0, count * sizeof(*e));
	for (size_t i = 0; i < count; i++) {
		bool wild = random_next() % 4 == 0;

		e[i].op = random_op();
		e[i].stamp = wild || !i ? random_number() : e[i - 1].stamp + random_next() % 1000;
		e[i].ptr = wild ? random_number() : 0x7f0000000000 + random_next() % 65536 * 16;
		e[i].stack = random_next() % 3 ? (uint32_t)random_number() : 0;
		if (op_kind(e[i].op) != OP_KIND_FREE) {
			e[i].size = wild ? random_number() : random_next() % 256;
			e[i].inner = random_next() % 8 == 0;
		}
	}
	return count;
}

static void test_events(void)
{
	struct trace_event in[EVENTS_MAX], out[EVENTS_MAX];
	uint8_t bytes[BUFFER_BYTES];
	int good = 1;

	for (int i = 0; i < 20000 && good; i++) {
		struct trace_out o = { bytes, 0, sizeof(bytes) };
		struct trace_in from = { bytes, 0, 0 };
		uint32_t serial = (uint32_t)random_number(), thread = 0;
		size_t count = random_events(in);
		struct trace_record record;

		good &= trace_put_events(&o, serial, in, count) == 0;
		good &= o.length <= trace_events_bound(count);
		from.length = o.length;
		good &= trace_next(&from, &record) == 1 && from.at == o.length;
		good &= trace_record_count(&record) == count;
		good &= trace_get_events(&record, &thread, out, EVENTS_MAX) == (int)count;
		good &= thread == serial && !memcmp(in, out, count * sizeof(*in));
		good &= trace_get_events(&record, &thread, out, count - 1) == -EBADMSG;
		good &= trace_next(&from, &record) == 0;
	}
	ok(good, "20000 random batches come back");
}

/* A heap as programs have it: addresses are given out again, the newest first, or freed long after,
 * twice, or never; so every way to tell an address is used, and every bound of them met. */
static void heap_events(struct trace_event *e, size_t count, unsigned keep)
{
	static uint64_t live[TRACE_BATCH_MAX], freed[TRACE_BATCH_MAX];
	size_t lives = 0, frees = 0;
	uint64_t fresh = 0x555555550010;

	memset(e, 0, count * sizeof(*e));
	for (size_t i = 0; i < count; i++) {
		uint64_t r = random_next();

		e[i].stamp = i;
		if (lives && r % 100 >= keep) {
			size_t at = r >> 8 & 1 ? lives - 1 : (r >> 16) % lives;

			e[i].op = OP_FREE;
			e[i].ptr = freed[frees++] = live[at];
			live[at] = live[--lives];
			continue;
		}
		e[i].op = OP_MALLOC;
		e[i].size = (r >> 8) % (r & 1 ? 200 : 5000);
		if (frees && r >> 32 & 1) {
			size_t at = r >> 33 & 1 ? frees - 1 : (r >> 34) % frees;

			e[i].ptr = freed[at];
			if (r >> 60)
				freed[at] = freed[--frees];
		} else {
			e[i].ptr = fresh;
			fresh += (e[i].size + 23) / 16 * 16;
		}
		live[lives++] = e[i].ptr;
	}
}

static void test_heap(void)
{
	static struct trace_event in[TRACE_BATCH_MAX], out[TRACE_BATCH_MAX];
	size_t capacity = trace_events_bound(TRACE_BATCH_MAX), length = 0;
	uint8_t *bytes = malloc(capacity);
	int good = 1;

	for (unsigned keep = 45; keep <= 100; keep += 5) {
		struct trace_out o = { bytes, 0, capacity };
		struct trace_in from = { bytes, 0, 0 };
		struct trace_record record;
		uint32_t thread;

		heap_events(in, TRACE_BATCH_MAX, keep);
		good &= trace_put_events(&o, 1, in, TRACE_BATCH_MAX) == 0;
		length = from.length = o.length;
		good &= trace_next(&from, &record) == 1;
		good &= trace_get_events(&record, &thread, out, TRACE_BATCH_MAX) == (int)TRACE_BATCH_MAX;
		good &= !memcmp(in, out, sizeof(in));
	}
	ok(good, "heaps that shrink, stay and grow come back");
	ok(length < 6 * TRACE_BATCH_MAX, "in few bytes (%zu for an event that only allocates)", length / TRACE_BATCH_MAX);
	free(bytes);
}

static void test_room(void)
{
	struct trace_event e[EVENTS_MAX];
	size_t count = random_events(e), bound = trace_events_bound(count);
	uint8_t bytes[BUFFER_BYTES];
	struct trace_out o = { bytes, 0, bound - 1 };

	is_int(trace_put_events(&o, 1, e, count), -ENOSPC, "too little room for events");
	is_int(o.length, 0, "writes nothing");
	o.capacity = bound;
	is_int(trace_put_events(&o, 1, e, count), 0, "the bound is enough");
	is_int(trace_put_events(&o, 1, e, 0), 0, "no events");
	is_int(trace_put_events(&o, 1, e, TRACE_BATCH_MAX + 1), -EINVAL, "too many events");
	o.capacity = o.length;
	is_int(trace_put_sync(&o, &(struct trace_sync){ 5 }), -ENOSPC, "a full buffer");
}

static void test_stacks(void)
{
	struct trace_stack_node in[50], out[50];
	uint8_t bytes[BUFFER_BYTES];
	int good = 1;

	for (int i = 0; i < 5000; i++) {
		struct trace_out o = { bytes, 0, sizeof(bytes) };
		struct trace_in from = { bytes, 0, 0 };
		size_t count = 1 + random_next() % 50;
		struct trace_record record;

		for (size_t n = 0; n < count; n++)
			in[n] = (struct trace_stack_node){ 4000 + (uint32_t)n, (uint32_t)random_next(),
							   random_next() % 2, random_next() };
		good &= trace_put_stacks(&o, in, count) == 0 && o.length <= trace_stacks_bound(count);
		from.length = o.length;
		good &= trace_next(&from, &record) == 1;
		good &= trace_get_stacks(&record, out, 50) == (int)count;
		for (size_t n = 0; n < count; n++)
			good &= in[n].id == out[n].id && in[n].parent == out[n].parent &&
				in[n].flags == out[n].flags && in[n].frame == out[n].frame;
	}
	ok(good, "5000 runs of stack nodes come back");
	in[1].id = in[0].id + 2;
	ok(trace_put_stacks(&(struct trace_out){ bytes, 0, sizeof(bytes) }, in, 2) == -EINVAL,
	   "ids with a gap are refused");
}

/* One record of each other kind, of which the length crosses all varint widths. */
static size_t put_all(uint8_t *bytes, size_t capacity, const char *text, size_t length, uint64_t n)
{
	static const struct trace_counter cells[2] = { { OP_REALLOC_FREE, 0, 5, 0 }, { OP_CALLOC, 9, 6, 1ull << 40 } };
	static const struct trace_symbol_frame frames[3] = { { 1, 2, 3 }, { 0, 0, 0 }, { 9, 8, 7 } };
	struct trace_out o = { bytes, 0, capacity };
	struct trace_string s = { text, length };
	uint32_t m = (uint32_t)n;
	int err = 0;

	err |= trace_put_fact(&o, &(struct trace_fact){ trace_string("key"), s });
	err |= trace_put_clock(&o, &(struct trace_clock){ n, ~n });
	err |= trace_put_thread(&o, &(struct trace_thread){ m, ~m, n, s });
	err |= trace_put_module(&o, &(struct trace_module){ m, 1, n, n + 1, n + 2, n + 3, s, s });
	err |= trace_put_module_end(&o, &(struct trace_module_end){ m, 2, n });
	err |= trace_put_symbols(&o, &(struct trace_symbols){ m, n, n + 1, 3, frames });
	err |= trace_put_string(&o, &(struct trace_string_def){ m, s });
	err |= trace_put_rss(&o, &(struct trace_rss){ n, 1, 2, 3, 4, 5, 6 });
	err |= trace_put_resident(&o, &(struct trace_resident){ n, 4096, 0, 5, s });
	err |= trace_put_sync(&o, &(struct trace_sync){ n });
	err |= trace_put_lost(&o, &(struct trace_lost){ m, n, 77 });
	err |= trace_put_counters(&o, &(struct trace_counters){ m, n, 2, cells });
	err |= trace_put_exec(&o, &(struct trace_exec){ n, s });
	err |= trace_put_child(&o, &(struct trace_child){ m, s, s });
	err |= trace_put_relative(&o, &(struct trace_relative){ m, ~m, 1, 2, 3, 4, s, s });
	err |= trace_put_note(&o, &(struct trace_note){ s });
	err |= trace_put_marker(&o, &(struct trace_marker){ n, s });
	err |= trace_put_pause(&o, &(struct trace_pause){ n, 1, ~n, n + 1 });
	err |= trace_put_end(&o, &(struct trace_end){ n, TRACE_END_SIGNAL, 9, n });
	return err ? 0 : o.length;
}

static int same(struct trace_string s, const char *text, size_t length)
{
	return s.length == length && !memcmp(s.data, text, length);
}

/* Any value of a decoded record, so that a sanitizer sees what was left unset. */
union any {
	struct trace_fact fact;
	struct trace_clock clock;
	struct trace_thread thread;
	struct trace_module module;
	struct trace_module_end module_end;
	struct trace_symbols symbols;
	struct trace_string_def string;
	struct trace_rss rss;
	struct trace_resident resident;
	struct trace_sync sync;
	struct trace_lost lost;
	struct trace_counters counters;
	struct trace_exec exec;
	struct trace_child child;
	struct trace_relative relative;
	struct trace_note note;
	struct trace_marker marker;
	struct trace_pause pause;
	struct trace_end end;
	struct trace_event events[EVENTS_MAX];
	struct trace_stack_node nodes[EVENTS_MAX];
};

static struct trace_symbol_frame frames_out[TRACE_INLINE_MAX];
static struct trace_counter cells_out[TRACE_COUNTERS_MAX];

static int decode(const struct trace_record *r, union any *out)
{
	uint32_t thread;

	switch (r->kind) {
	case TRACE_FACT: return trace_get_fact(r, &out->fact);
	case TRACE_CLOCK: return trace_get_clock(r, &out->clock);
	case TRACE_THREAD: return trace_get_thread(r, &out->thread);
	case TRACE_MODULE: return trace_get_module(r, &out->module);
	case TRACE_MODULE_END: return trace_get_module_end(r, &out->module_end);
	case TRACE_SYMBOLS:
		return trace_get_symbols(r, &out->symbols, frames_out, TRACE_INLINE_MAX);
	case TRACE_STRING: return trace_get_string(r, &out->string);
	case TRACE_RSS: return trace_get_rss(r, &out->rss);
	case TRACE_RESIDENT: return trace_get_resident(r, &out->resident);
	case TRACE_SYNC: return trace_get_sync(r, &out->sync);
	case TRACE_LOST: return trace_get_lost(r, &out->lost);
	case TRACE_COUNTERS: return trace_get_counters(r, &out->counters, cells_out, TRACE_COUNTERS_MAX);
	case TRACE_EXEC: return trace_get_exec(r, &out->exec);
	case TRACE_CHILD: return trace_get_child(r, &out->child);
	case TRACE_RELATIVE: return trace_get_relative(r, &out->relative);
	case TRACE_NOTE: return trace_get_note(r, &out->note);
	case TRACE_MARKER: return trace_get_marker(r, &out->marker);
	case TRACE_PAUSE: return trace_get_pause(r, &out->pause);
	case TRACE_END: return trace_get_end(r, &out->end);
	case TRACE_EVENTS: return trace_get_events(r, &thread, out->events, EVENTS_MAX);
	case TRACE_STACKS: return trace_get_stacks(r, out->nodes, EVENTS_MAX);
	}
	return -EBADMSG;
}

static int check(const struct trace_record *r, const union any *v, const char *t, size_t l, uint64_t n)
{
	uint32_t m = (uint32_t)n;

	switch (r->kind) {
	case TRACE_FACT: return same(v->fact.key, "key", 3) && same(v->fact.value, t, l);
	case TRACE_CLOCK: return v->clock.base == n && v->clock.mult == ~n;
	case TRACE_THREAD:
		return v->thread.thread == m && v->thread.tid == ~m && v->thread.stamp == n &&
		       same(v->thread.name, t, l);
	case TRACE_MODULE:
		return v->module.module == m && v->module.epoch == 1 && v->module.start == n &&
		       v->module.end == n + 1 && v->module.bias == n + 2 &&
		       v->module.stamp == n + 3 && same(v->module.path, t, l) &&
		       same(v->module.build_id, t, l);
	case TRACE_MODULE_END:
		return v->module_end.module == m && v->module_end.epoch == 2 && v->module_end.stamp == n;
	case TRACE_SYMBOLS:
		return v->symbols.module == m && v->symbols.address == n && v->symbols.offset == n + 1 &&
		       v->symbols.count == 3 && v->symbols.frames[2].line == 7;
	case TRACE_STRING: return v->string.id == m && same(v->string.text, t, l);
	case TRACE_RSS: return v->rss.stamp == n && v->rss.rss == 1 && v->rss.stacks == 6;
	case TRACE_RESIDENT:
		return v->resident.stamp == n && v->resident.page == 4096 && v->resident.count == 5 &&
		       same(v->resident.packed, t, l);
	case TRACE_SYNC: return v->sync.stamp == n;
	case TRACE_LOST: return v->lost.thread == m && v->lost.stamp == n && v->lost.count == 77;
	case TRACE_COUNTERS:
		return v->counters.thread == m && v->counters.stamp == n && v->counters.count == 2 &&
		       cells_out[0].op == OP_REALLOC_FREE && cells_out[0].count == 5 &&
		       cells_out[1].op == OP_CALLOC && cells_out[1].bucket == 9 && cells_out[1].count == 6 &&
		       cells_out[1].bytes == 1ull << 40;
	case TRACE_EXEC: return v->exec.stamp == n && same(v->exec.exe, t, l);
	case TRACE_CHILD: return v->child.pid == m && same(v->child.name, t, l) && same(v->child.reason, t, l);
	case TRACE_RELATIVE:
		return v->relative.number == m && v->relative.pid == ~m && v->relative.parent == 1 &&
		       v->relative.came == 2 && v->relative.how == 3 && v->relative.value == 4 &&
		       same(v->relative.name, t, l) && same(v->relative.file, t, l);
	case TRACE_NOTE: return same(v->note.text, t, l);
	case TRACE_MARKER: return v->marker.stamp == n && same(v->marker.name, t, l);
	case TRACE_PAUSE:
		return v->pause.stamp == n && v->pause.paused == 1 && v->pause.calls == ~n && v->pause.bytes == n + 1;
	case TRACE_END:
		return v->end.stamp == n && v->end.how == TRACE_END_SIGNAL && v->end.value == 9 &&
		       v->end.events == n;
	default: return 0;
	}
}

static void test_kinds(void)
{
	static const size_t lengths[] = { 0, 1, 100, 120, 121, 122, 123, 124, 125, 126, 127, 128, 16384,
					  TRACE_STRING_MAX };
	static char text[TRACE_STRING_MAX + 1];
	size_t capacity = 16 * sizeof(text);
	uint8_t *bytes = malloc(capacity);
	union any value;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)random_next();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint64_t n = random_number();
		size_t length = put_all(bytes, capacity, text, lengths[i], n);
		struct trace_in in = { bytes, length, 0 };
		struct trace_record record;
		int kinds = 0, good = 1;

		for (; trace_next(&in, &record) == 1; kinds++)
			good &= decode(&record, &value) == 0 &&
				check(&record, &value, text, lengths[i], n);
		ok(good && kinds == 19, "all kinds with strings of %zu bytes", lengths[i]);
	}
	ok(!put_all(bytes, capacity, text, TRACE_STRING_MAX + 1, 1), "a longer string is refused");
	free(bytes);
}

/* Reads everything that `length` bytes seem to hold, from a block that ends where they do. */
static unsigned survive(const uint8_t *bytes, size_t length)
{
	uint8_t *exact = malloc(length ? length : 1);
	struct trace_in in = { exact, length, 0 };
	struct trace_record record;
	static union any value;
	unsigned decoded = 0;

	memcpy(exact, bytes, length);
	while (trace_next(&in, &record) == 1) {
		decoded += decode(&record, &value) >= 0;
		trace_record_count(&record);
	}
	free(exact);
	return decoded;
}

static void test_damage(void)
{
	static const char text[200] = "a text of some length";
	struct trace_event e[EVENTS_MAX];
	struct trace_stack_node nodes[20];
	uint8_t bytes[BUFFER_BYTES], broken[BUFFER_BYTES];
	struct trace_out o = { bytes, 0, sizeof(bytes) };
	unsigned decoded = 0, whole;

	for (uint32_t i = 0; i < 20; i++)
		nodes[i] = (struct trace_stack_node){ 8 + i, 7 + i, i % 2, random_next() };
	o.length = put_all(bytes, sizeof(bytes), text, 150, 123456789);
	trace_put_stacks(&o, nodes, 20);
	trace_put_events(&o, 3, e, random_events(e));
	trace_put_events(&o, 3, e, random_events(e) / 4 + 1);
	whole = survive(bytes, o.length);
	is_int(whole, 22, "the undamaged buffer holds 22 records");
	for (size_t cut = 0; cut < o.length; cut++)
		decoded += survive(bytes, cut);
	ok(decoded, "every truncation is survived");
	for (int i = 0; i < 60000; i++) {
		memcpy(broken, bytes, o.length);
		for (uint64_t flips = 1 + random_next() % 4; flips; flips--)
			broken[random_next() % o.length] = (uint8_t)random_next();
		decoded += survive(broken, o.length);
	}
	for (int i = 0; i < 20000; i++) {
		size_t length = random_next() % 300;

		for (size_t k = 0; k < length; k++)
			broken[k] = (uint8_t)random_next();
		broken[0] = (uint8_t)(1 + random_next() % 16);
		broken[1] = (uint8_t)(length & 0x7f);
		decoded += survive(broken, length);
	}
	ok(decoded, "80000 mutations are survived");
}

static void test_forged(void)
{
	/* EVENTS: thread 1, count 2^16 in a record of 6 bytes; then a length of 2^63. */
	static const uint8_t count[] = { TRACE_EVENTS, 6, 1, 0x80, 0x80, 0x04, 0, 0 };
	static const uint8_t length[] = { TRACE_NOTE, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					  0x80, 0x01, 0 };
	static const uint8_t over[] = { TRACE_NOTE, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					0x80, 0x80, 0x01 };
	struct trace_record record;

	trace_next(&(struct trace_in){ count, sizeof(count), 0 }, &record);
	is_int(trace_record_count(&record), 0, "a forged count is not believed");
	is_int(trace_next(&(struct trace_in){ length, sizeof(length), 0 }, &record), -EBADMSG,
	       "a forged length neither");
	is_int(trace_next(&(struct trace_in){ over, sizeof(over), 0 }, &record), -EBADMSG,
	       "a varint without end neither");
}

static void test_ops(void)
{
	int good = 1;

	is_string(op_label(OP_MALLOC), "malloc", "the label of malloc");
	is_string(op_symbol(OP_NEW), "_Znwm", "the symbol of new");
	is_string(op_label(OP_EXIT), "EXIT", "the label of a pseudo op");
	ok(!op_symbol(OP_REALLOC_FREE), "which has no symbol");
	is_int(op_kind(OP_REALLOC_FREE), OP_KIND_FREE, "but a kind");
	is_int(op_family(OP_NEWA), OP_FAMILY_NEW_ARRAY, "a family");
	is_int(op_from_label("new[]", 5), OP_NEWA, "an op from its label");
	is_int(op_from_label("EXIT", 4), OP_EXIT, "a pseudo op from its label");
	is_int(op_from_label("mallo", 5), OP_VOID, "no op from a part of one");
	for (unsigned op = 0; op < 1000; op++)
		good &= op_label(op) != NULL && (op_kind(op) == OP_KIND_NONE || op_label(op)[0] != '?');
	ok(good, "numbers that are no op are harmless");
}

int main(void)
{
	test_events();
	test_heap();
	test_room();
	test_stacks();
	test_kinds();
	test_damage();
	test_forged();
	test_ops();
	return done_testing();
}
