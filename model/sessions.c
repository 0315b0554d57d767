/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several processes in one stream: a heap for each, all owned by the one that is fed. */
#include <stdlib.h>

#include "model/state.h"

#define SESSIONS_MAX	20000u	/* of which each takes some hundred kilobytes */
#define SESSIONS_FEW	256u	/* that any file may have; more only when it has this many bytes for each: */
#define SESSION_BYTES	512u	/* its facts alone are more, so a small file cannot take much memory */

static struct heap *session_new(struct heap *heap, uint32_t session)
{
	struct heap *made = heap_new_sharing(&heap->options, heap->spill);

	made->format = HEAP_FORMAT_MTK;
	made->session = session;
	made->session_known = true;
	vector_push(&heap->others, made);
	heap->generation++;
	return made;
}

/* Of two traces one behind the other, both may have the same number: behind the end of a process
 * there is only word of its relatives. */
static bool takes(const struct heap *heap, uint32_t session, uint8_t first_kind)
{
	return heap->session == session && (heap->status.end == HEAP_RUNNING || first_kind == TRACE_RELATIVE);
}

static bool has_room(const struct heap *heap)
{
	size_t count = heap->others.count;

	return count < SESSIONS_FEW ||
	       (count < SESSIONS_MAX && heap->fed_bytes / SESSION_BYTES > count - SESSIONS_FEW);
}

static struct heap *find(struct heap *heap, uint32_t session, uint8_t first_kind)
{
	struct heap *newest = NULL;
	uint64_t index;

	if (map_get(&heap->newest, session, &index))
		newest = heap_session_at(heap, index);
	if (newest && takes(newest, session, first_kind))
		return newest;
	if (has_room(heap)) {
		newest = session_new(heap, session);
		map_put(&heap->newest, session, heap->others.count);
		return newest;
	}
	heap_note(heap, "the stream holds more processes than can be shown: those that began last are left out");
	return NULL;
}

struct heap *session_of(struct heap *heap, uint32_t session, uint8_t first_kind)
{
	if (!heap->session_known) {
		heap->session = session;
		heap->session_known = true;
		heap->fed = heap;
		map_put(&heap->newest, session, 0);
	}
	if (!heap->fed || !takes(heap->fed, session, first_kind))
		heap->fed = find(heap, session, first_kind);
	return heap->fed;
}

bool sessions_settle(struct heap *heap)
{
	bool all = mtk_settle(heap);

	for (size_t i = 0; all && i < heap->others.count; i++)
		all = mtk_settle(heap->others.items[i]);
	return all;
}

bool sessions_end(struct heap *heap)
{
	if (!sessions_settle(heap))
		return false;
	mtk_end(heap);
	for (size_t i = 0; i < heap->others.count; i++) {
		struct heap *other = heap->others.items[i];

		mtk_end(other);
		other->status.data_ended = true;
		other->generation++;
	}
	return true;
}

void sessions_free(struct heap *heap)
{
	for (size_t i = 0; i < heap->others.count; i++)
		heap_free(heap->others.items[i]);
	vector_release(&heap->others);
	map_release(&heap->newest);
}

size_t heap_session_count(const struct heap *heap)
{
	return heap->others.count + 1;
}

struct heap *heap_session_at(struct heap *heap, size_t index)
{
	return index ? heap->others.items[index - 1] : heap;
}

size_t heap_session_find(struct heap *heap, uint64_t number)
{
	size_t count = heap_session_count(heap);

	for (size_t i = 0; i < count; i++)
		if (heap_session_at(heap, i)->session == number)
			return i;
	for (size_t i = 0; i < count; i++) {
		const char *pid = heap_fact(heap_session_at(heap, i), "pid");

		if (pid && strtoull(pid, NULL, 10) == number)
			return i;
	}
	return SIZE_MAX;
}

/* Stamps of all sessions are of one clock. */
bool heap_ended_before(const struct heap *heap, const struct heap *other)
{
	return heap->end_stamp && (!other->end_stamp || other->end_stamp > heap->end_stamp);
}
