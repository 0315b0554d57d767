/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The marks of a selection, and rows by time: which record is the nth that is in, and how many are
 * in before a record.  Marks of blocks of records are counted, so that no list of ids is needed. */
#include "model/select_state.h"

#define MARKS_BLOCK	4096u
#define LANES		0x0101010101010101ull

void marks_release(struct selection *s)
{
	struct marks *m = &s->marks;

	for (size_t i = 0; i < m->chunks.count; i++)
		spill_put(s->heap->spill, m->chunks.items[i]);
	vector_release(&m->chunks);
	vector_release(&m->in);
	vector_release(&m->before);
	*m = (struct marks){ 0 };
}

/* Marks for as many records, or for as many as there is memory for. */
void marks_reserve(struct selection *s, uint32_t records)
{
	struct marks *m = &s->marks;

	while (m->room < records) {
		uint8_t *chunk = spill_get(s->heap->spill, MARKS_CHUNK);

		if (!chunk)
			return;
		vector_push(&m->chunks, chunk);
		m->room += MARKS_CHUNK;
	}
	vector_resize(&m->in, ((size_t)records + MARKS_BLOCK - 1) / MARKS_BLOCK);
}

/* Another record is in, or one is no longer; its mark says so already. */
void marks_count(struct selection *s, uint32_t id, bool in)
{
	struct marks *m = &s->marks;
	size_t block = id / MARKS_BLOCK;

	m->in.items[block] += in ? 1 : UINT32_MAX;
	m->count += in ? 1 : SIZE_MAX;
	if (m->known > block + 1)
		m->known = block + 1;
}

/* Only what was alive at the peak is kept; eight at a time, for they are many.  Those of another one
 * come to marks that are new, and none: their memory is not to be touched for that. */
void marks_clear(struct selection *s, const struct marks *from)
{
	struct marks *m = &s->marks;

	for (size_t c = 0; c < from->chunks.count && c < m->chunks.count; c++) {
		const uint8_t *old = from->chunks.items[c];
		uint8_t *new = m->chunks.items[c];

		for (size_t at = 0; at < MARKS_CHUNK; at += sizeof(uint64_t)) {
			uint64_t word;

			memcpy(&word, old + at, sizeof(word));
			word &= MARK_PEAK * LANES;
			if (word || from == m)
				memcpy(new + at, &word, sizeof(word));
		}
	}
	if (m->in.count)
		memset(m->in.items, 0, m->in.count * sizeof(*m->in.items));
	m->count = m->known = 0;
	m->near_known = false;
}

/* before[] of all blocks; what is known of the first ones holds. */
static void sum_up(struct marks *m)
{
	size_t count = m->in.count;

	if (m->known == count && m->before.count == count)
		return;
	vector_resize(&m->before, count);
	for (size_t i = m->known; i < count; i++)
		m->before.items[i] = i ? m->before.items[i - 1] + m->in.items[i - 1] : 0;
	m->known = count;
}

static size_t count_in(const struct selection *s, size_t from, size_t to)
{
	size_t sum = 0;

	for (; from < to; from++)
		sum += *mark_at(s, (uint32_t)from) & MARK_IN;
	return sum;
}

/* How many are in before id. */
size_t marks_rank(const struct selection *s, uint32_t id)
{
	struct marks *m = (struct marks *)&s->marks; /* sums are kept, nothing else changes */
	size_t block = id / MARKS_BLOCK;

	sum_up(m);
	if (block >= m->in.count)
		return m->count;
	return m->before.items[block] + count_in(s, block * MARKS_BLOCK, id);
}

static size_t block_of_row(const struct marks *m, size_t row)
{
	size_t low = 0, high = m->in.count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (m->before.items[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Which record is in a row (below marks.count).  Going from row to row costs next to nothing. */
uint32_t marks_at(const struct selection *s, size_t row)
{
	struct marks *m = (struct marks *)&s->marks; /* as above */
	size_t left, at;

	if (m->near_known && m->near_generation == s->generation && row == m->near_row + 1 &&
	    row < m->count) {
		at = m->near_id + 1;
		left = 0;
	} else {
		sum_up(m);
		at = block_of_row(m, row);
		left = row - m->before.items[at];
		at *= MARKS_BLOCK;
	}
	for (;; at++) {
		if (*mark_at(s, (uint32_t)at) & MARK_IN && !left--)
			break;
	}
	m->near_known = true;
	m->near_generation = s->generation;
	m->near_row = row;
	m->near_id = (uint32_t)at;
	return (uint32_t)at;
}
