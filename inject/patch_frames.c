/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program counters of held threads, and signal frames on their stacks. */
#include "inject/patch_frames.h"

#include "inject/code.h"
#include "inject/memory.h"
#include "inject/registers.h"

#include <errno.h>

/* Of a stack that is looked through; a larger mapping is no stack alone, and pages behind it need not be
 * there yet. */
#define STACK_MAX	(8u << 20)
#define MAPPING_MAX	(64u << 20)
#define PART_MAX	(1u << 20)
#define CHUNK_WORDS	8192u
#define STACKS_MAX	8u		/* of one thread: a handler's, the one it interrupted ... */

struct walk {
	struct injection *injection;
	const struct maps *maps;
	const struct frames_move *moves;	/* what is to be led away */
	size_t count;
	uint64_t low, high;			/* what is asked for */
	bool inside;				/* somebody is in there */
	bool returns;				/* or may return there: any word counts */
	struct { uint64_t start, end; } stacks[STACKS_MAX];
	size_t stack_count;
	uint64_t words[CHUNK_WORDS];
};

static const struct frames_move *find(struct walk *w, uint64_t pc)
{
	size_t low = 0, high = w->count;

	if (pc >= w->low && pc < w->high)
		w->inside = true;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (w->moves[middle].from == pc)
			return &w->moves[middle];
		if (w->moves[middle].from < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Remembers the stack around sp, unless it is known. */
static void add_stack(struct walk *w, uint64_t sp)
{
	const struct map_entry *e = maps_find(w->maps, sp);
	uint64_t start = sp & ~7ull, most = e && e->end - e->start > MAPPING_MAX ? PART_MAX : STACK_MAX;

	if (!e || !e->read || !e->write || w->stack_count == STACKS_MAX)
		return;
	for (size_t i = 0; i < w->stack_count; i++)
		if (start >= w->stacks[i].start && start < w->stacks[i].end)
			return;
	w->stacks[w->stack_count].start = start;
	w->stacks[w->stack_count].end = e->end - start > most ? start + most : e->end;
	w->stack_count++;
}

static int take_frame(struct walk *w, uint64_t at, const struct code_context *context)
{
	const struct frames_move *m = find(w, context->pc);

	add_stack(w, context->sp);
	return m ? memory_write(w->injection, at + context->pc_offset, &m->to, sizeof(m->to)) : 0;
}

/* One stack, in pieces that overlap by a context. */
static int look_through(struct walk *w, uint64_t start, uint64_t end)
{
	int rc = 0;

	while (rc == 0 && end - start >= CODE_CONTEXT_WORDS * 8) {
		size_t want = end - start < sizeof(w->words) ? (size_t)(end - start) : sizeof(w->words);
		ssize_t got = memory_read_some(w->injection, start, w->words, want);
		size_t count = got > 0 ? (size_t)got / 8 : 0;
		struct code_context context;

		for (size_t i = 0; w->returns && i < count; i++)
			w->inside |= w->words[i] >= w->low && w->words[i] < w->high;
		for (size_t i = 0; rc == 0 && i + CODE_CONTEXT_WORDS <= count; i++)
			if (code_is_context(w->words + i, &context))
				rc = take_frame(w, start + i * 8, &context);
		if (count < sizeof(w->words) / 8)
			break;
		start += (count - CODE_CONTEXT_WORDS + 1) * 8;
	}
	return rc;
}

static int lead_thread(struct walk *w, struct thread *t)
{
	const struct frames_move *m = find(w, thread_pc(t));
	int rc = m ? thread_set_pc(t, m->to) : 0;

	w->stack_count = 0;
	add_stack(w, thread_sp(t));
	for (size_t i = 0; rc == 0 && i < w->stack_count; i++)
		rc = look_through(w, w->stacks[i].start, w->stacks[i].end);
	return rc == -ESRCH ? 0 : rc;
}

static int all_threads(struct walk *w)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < threads_count(w->injection); i++)
		rc = lead_thread(w, threads_at(w->injection, i));
	return rc;
}

int frames_lead_away(struct injection *in, const struct maps *maps, const struct frames_move *moves, size_t count)
{
	struct walk w = { .injection = in, .maps = maps, .moves = moves, .count = count };

	return count ? all_threads(&w) : 0;
}

int frames_inside(struct injection *in, const struct maps *maps, uint64_t start, uint64_t end, bool returns,
		  bool *inside)
{
	struct walk w = { .injection = in, .maps = maps, .low = start, .high = end, .returns = returns };
	int rc = all_threads(&w);

	*inside = w.inside;
	return rc;
}
