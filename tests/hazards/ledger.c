/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ledger TRACE [EXPECTATION...]: what the model makes of a trace, .mtk or text, against what a
 * program is known to have done.
 *
 * An EXPECTATION is KEY=NUMBER, also with < > <= >=, and KEY+KEY for a sum; those that do not hold
 * are printed as "KEY is N, not =NUMBER", and the exit status is 1.  Keys:
 *
 *	made:OP:SIZE live:OP:SIZE	allocations of that label and size, and those never freed; OP or
 *					SIZE may be left empty for any
 *	live_bytes:OP:SIZE		bytes of the latter
 *	in:FUNCTION live_in:FUNCTION	allocations with that function in their stack, and live ones
 *	blocks.live pages.live_bytes ... fields of heap_totals() of one class
 *	threads lost unknown double older findings findings.double implied execs children damaged exit signal complete
 *
 * --list prints made: and live: of all that occurred. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/blocks.h"
#include "model/findings.h"
#include "model/heap.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"

#define FRAMES_MAX 256

static bool read_trace(struct heap *heap, const char *path)
{
	static char bytes[1 << 16];
	FILE *in = fopen(path, "rb");
	bool good = in != NULL;
	size_t n;

	while (good && (n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		good = heap_feed(heap, bytes, n) == 0;
	if (in)
		fclose(in);
	heap_end(heap);
	return good;
}

static bool is_kept(const struct block_record *block)
{
	return block->state == BLOCK_ACTIVE || block->state == BLOCK_LEAKED;
}

/* OP:SIZE, either part empty for any. */
static bool fits(const struct block_record *block, const char *what)
{
	const char *label = heap_op_label(block->op), *colon = strrchr(what, ':');
	size_t n = colon ? (size_t)(colon - what) : strlen(what);

	if (n && (strlen(label) != n || strncmp(label, what, n)))
		return false;
	return !colon || !colon[1] || strtoull(colon + 1, NULL, 0) == block->size;
}

static bool passes_through(const struct heap *heap, uint32_t stack, const char *function)
{
	static struct stack_frame frames[FRAMES_MAX];
	size_t count = stack_frames(heap, stack, frames, FRAMES_MAX);

	for (size_t i = 0; i < count && i < FRAMES_MAX; i++)
		if (frames[i].function && strcmp(frames[i].function, function) == 0)
			return true;
	return false;
}

struct query {
	const char *what;
	bool by_function, live, bytes;
};

static uint64_t count_blocks(const struct heap *heap, const struct query *query)
{
	uint64_t sum = 0;

	for (uint32_t id = 0; id < block_count(heap); id++) {
		struct block_record block;
		bool counts;

		block_get(heap, id, &block);
		if (query->live ? !is_kept(&block) : block.piece)
			continue;
		counts = query->by_function ? passes_through(heap, block.stack, query->what)
					    : fits(&block, query->what);
		if (counts)
			sum += query->bytes ? block.size : 1;
	}
	return sum;
}

static bool total_of(struct heap *heap, const char *key, uint64_t *out)
{
	static const char *const classes[] = { "blocks.", "pages.", "inner." };
	struct heap_totals t;

	for (int i = 0; i < HEAP_CLASSES; i++) {
		size_t n = strlen(classes[i]);

		if (strncmp(key, classes[i], n))
			continue;
		heap_totals(heap, (enum heap_class)i, &t);
#define FIELD(name) if (strcmp(key + n, #name) == 0) return *out = t.name, true
		FIELD(allocs); FIELD(alloc_bytes); FIELD(frees); FIELD(freed_bytes);
		FIELD(live); FIELD(live_bytes); FIELD(leaked); FIELD(leaked_bytes);
		FIELD(runtime); FIELD(runtime_bytes); FIELD(peak); FIELD(peak_bytes);
#undef FIELD
	}
	return false;
}

static bool status_of(const struct heap *heap, const char *key, uint64_t *out)
{
	struct heap_status s;
	struct finding_sums found;

	heap_status(heap, &s);
	finding_sums(heap, &found);
#define FIELD(name, value) if (strcmp(key, name) == 0) return *out = (value), true
	FIELD("threads", thread_count(heap));
	FIELD("events", s.events);
	FIELD("lost", s.lost);
	FIELD("inexact", s.inexact);
	FIELD("unknown", s.unknown_frees);
	FIELD("double", s.double_frees);
	FIELD("older", s.older_frees);
	FIELD("findings", found.all);
	FIELD("findings.double", found.kinds[FINDING_DOUBLE]);
	FIELD("mismatched", s.mismatched_frees);
	FIELD("implied", s.implied_frees);
	FIELD("execs", s.execs);
	FIELD("children", s.children);
	FIELD("damaged", s.damaged);
	FIELD("complete", s.end != HEAP_RUNNING && !s.damaged);
	FIELD("exit", s.end == HEAP_EXITED ? s.end_value : 999);
	FIELD("signal", s.end == HEAP_KILLED ? s.end_value : 0);
#undef FIELD
	return false;
}

static bool value_of(struct heap *heap, const char *key, uint64_t *out)
{
	static const struct { const char *prefix; struct query query; } kinds[] = {
		{ "made:", { NULL, false, false, false } },
		{ "live:", { NULL, false, true, false } },
		{ "live_bytes:", { NULL, false, true, true } },
		{ "in:", { NULL, true, false, false } },
		{ "live_in:", { NULL, true, true, false } },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct query query = kinds[i].query;
		size_t n = strlen(kinds[i].prefix);

		if (strncmp(key, kinds[i].prefix, n))
			continue;
		query.what = key + n;
		*out = count_blocks(heap, &query);
		return true;
	}
	return total_of(heap, key, out) || status_of(heap, key, out);
}

/* Of all keys that '+' joins. */
static bool sum_of(struct heap *heap, char *keys, uint64_t *out)
{
	char *rest;

	*out = 0;
	for (char *key = strtok_r(keys, "+", &rest); key; key = strtok_r(NULL, "+", &rest)) {
		uint64_t value = 0;

		if (!value_of(heap, key, &value)) {
			printf("no such key: %s\n", key);
			return false;
		}
		*out += value;
	}
	return true;
}

static bool compare(uint64_t got, const char *relation, uint64_t want)
{
	bool or_equal = relation[0] != '=' && relation[1] == '=';

	if (got == want)
		return relation[0] == '=' || or_equal;
	return relation[0] == '<' ? got < want : relation[0] == '>' && got > want;
}

static bool holds(struct heap *heap, const char *expectation)
{
	size_t n = strcspn(expectation, "=<>");
	const char *relation = expectation + n;
	char *keys = strndup(expectation, n);
	uint64_t got;
	bool good = sum_of(heap, keys, &got);

	if (good && !compare(got, relation, strtoull(relation + strspn(relation, "=<>"), NULL, 0))) {
		printf("%.*s is %llu, not %s\n", (int)n, expectation, (unsigned long long)got, relation);
		good = false;
	}
	free(keys);
	return good;
}

static void list(const struct heap *heap)
{
	for (uint32_t id = 0; id < block_count(heap); id++) {
		struct block_record block;

		block_get(heap, id, &block);
		printf("%s %s:%llu\n", is_kept(&block) ? "live" : "gone", heap_op_label(block.op),
			(unsigned long long)block.size);
	}
}

int main(int argc, char **argv)
{
	struct heap_options options = { .keep_records = true };
	struct heap *heap = heap_new(&options);
	int bad = 0;

	if (argc < 2 || !read_trace(heap, argv[1])) {
		printf("cannot read %s\n", argc < 2 ? "nothing" : argv[1]);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (strcmp(argv[i], "--list") == 0)
			list(heap);
		else
			bad |= !holds(heap, argv[i]);
	heap_free(heap);
	return bad;
}
