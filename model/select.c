/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selections: which records are in, kept up to date in slices. */
#include "model/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/select_state.h"

struct selection *select_new(struct heap *heap)
{
	struct selection *s = xcalloc(1, sizeof(*s));

	s->heap = heap;
	s->filter = (struct select_filter)SELECT_FILTER_INIT;
	map_init(&s->group_of);
	select_filter(s, &s->filter);
	return s;
}

void select_free(struct selection *s)
{
	if (!s)
		return;
	search_release(&s->search);
	order_free(s);
	free(s->marks);
	vector_release(&s->ids);
	vector_release(&s->touched);
	vector_release(&s->young);
	vector_release(&s->groups);
	vector_release(&s->group_noise);
	vector_release(&s->group_rows);
	vector_release(&s->threads);
	vector_release(&s->pages);
	map_release(&s->group_of);
	free(s);
}

static void seen(struct selection *s)
{
	s->exits_seen = s->heap->exits;
	s->symbols_seen = s->heap->modules.generation;
	s->names_seen = s->heap->names_generation;
}

/* All but who was alive at the peak; eight at a time, for they are many. */
static void marks_clear(struct selection *s)
{
	uint64_t keep = MARK_PEAK * 0x0101010101010101ull, word;
	size_t count = s->heap->records.count < s->mark_capacity ? s->heap->records.count : s->mark_capacity;
	size_t at = 0;

	for (; at + sizeof(word) <= count; at += sizeof(word)) {
		memcpy(&word, s->marks + at, sizeof(word));
		word &= keep;
		memcpy(s->marks + at, &word, sizeof(word));
	}
	for (; at < count; at++)
		s->marks[at] &= MARK_PEAK;
}

/* All that was in is out. */
void select_filter(struct selection *s, const struct select_filter *filter)
{
	char *text = filter->search ? xstrdup(filter->search) : NULL;

	s->filter = *filter;
	s->filter.search = NULL;
	search_set(&s->search, text);
	free(text);
	marks_clear(s);
	vector_clear(&s->pages);
	s->pages_at = 0;
	vector_clear(&s->ids);
	vector_clear(&s->touched);
	vector_clear(&s->young);
	s->young_head = 0;
	groups_clear(s);
	order_restart(s);
	s->cursor = s->again = s->again_end = 0;
	s->again_wanted = false;
	s->changes = s->heap->records.changes;
	s->generation++;
	seen(s);
}

void select_sort(struct selection *s, enum select_column column, bool reverse)
{
	bool same = column == s->column;

	s->column = column;
	s->reverse = reverse;
	s->generation++;
	if (!same)
		order_restart(s);
}

void select_sort_groups(struct selection *s, enum select_column column, bool reverse)
{
	s->groups_dirty |= column != s->group_column;
	s->group_column = column;
	s->group_reverse = reverse;
	s->generation++;
	groups_sort(s);
}

void select_cost(struct selection *s, enum cost cost)
{
	s->groups_dirty |= cost != s->cost;
	s->cost = cost;
	s->generation++;
	groups_sort(s);
}

void select_groups(struct selection *s, bool on)
{
	s->groups_on = on;
	groups_sort(s);
}

static bool is_pages(const struct record *r)
{
	return op_kind(record_op(r)) == OP_KIND_MAP;
}

void select_evaluate(struct selection *s, uint32_t id)
{
	const struct record *r = record_at(s->heap, id);
	uint8_t old = s->marks[id], new = match_record(s, r);

	if (is_pages(r))
		new |= peaks_of_pages(s, r) ? MARK_PEAK : 0;
	else
		new |= old & MARK_PEAK;
	if (old == new)
		return;
	s->marks[id] = new;
	if (old & MARK_IN)
		group_count(s, id, r, old, false);
	if (new & MARK_IN)
		group_count(s, id, r, new, true);
	if ((old ^ new) & MARK_IN)
		vector_push(&s->touched, id);
	s->generation++;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Sort touched, if need be, and drop what is there twice. */
static void touched_tidy(struct selection *s)
{
	uint32_t *items = s->touched.items;
	size_t kept = 0;
	bool sorted = true;

	for (size_t i = 1; i < s->touched.count && sorted; i++)
		sorted = items[i - 1] < items[i];
	if (sorted)
		return;
	qsort(items, s->touched.count, sizeof(*items), compare_ids);
	for (size_t i = 0; i < s->touched.count; i++)
		if (!kept || items[kept - 1] != items[i])
			items[kept++] = items[i];
	s->touched.count = kept;
}

/* First place in ids that holds id or a later one. */
static size_t lower_bound(const struct selection *s, uint32_t id)
{
	size_t low = 0, high = s->ids.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->ids.items[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Make ids say what the marks say.  Only what lies behind the first touched one is moved. */
static void commit(struct selection *s)
{
	size_t start, tail, at, t = 0, i = 0;
	uint32_t *old;

	if (!s->touched.count)
		return;
	touched_tidy(s);
	start = at = lower_bound(s, s->touched.items[0]);
	tail = s->ids.count - start;
	old = xreallocarray(NULL, tail + 1, sizeof(*old));
	if (tail)
		memcpy(old, s->ids.items + start, tail * sizeof(*old));
	vector_reserve(&s->ids, s->ids.count + s->touched.count);
	while (i < tail || t < s->touched.count) {
		uint32_t id;

		if (t == s->touched.count || (i < tail && old[i] < s->touched.items[t])) {
			s->ids.items[at++] = old[i++];
			continue;
		}
		id = s->touched.items[t++];
		i += i < tail && old[i] == id;
		if (s->marks[id] & MARK_IN)
			s->ids.items[at++] = id;
	}
	s->ids.count = at;
	free(old);
	order_update(s, &s->touched);
	vector_clear(&s->touched);
}

static void marks_reserve(struct selection *s)
{
	size_t want = s->heap->records.count, old = s->mark_capacity;

	if (want <= old)
		return;
	s->mark_capacity = want + want / 2 + 1024;
	s->marks = xrealloc(s->marks, s->mark_capacity);
	memset(s->marks + old, 0, s->mark_capacity - old);
}

/* Did something change that no log tells? */
static void notice(struct selection *s)
{
	bool names = s->search.text && (s->symbols_seen != s->heap->modules.generation ||
					s->names_seen != s->heap->names_generation);
	bool runtime = (s->filter.hide_runtime || s->filter.state == SELECT_LEAKS ||
			s->sums.leaked || s->sums.runtime) &&
		       s->symbols_seen != s->heap->modules.generation;

	if (names)
		search_forget(&s->search);
	if (names || runtime || s->exits_seen != s->heap->exits)
		s->again_wanted = true;
	seen(s);
	if (s->again_wanted && s->again == s->again_end) {
		s->again = 0;
		s->again_end = s->cursor;
		s->again_wanted = false;
	}
}

static uint64_t born(const struct selection *s, uint32_t id)
{
	return heap_ns(s->heap, record_at(s->heap, id)->alloc_stamp);
}

static bool too_young(const struct selection *s, uint32_t id)
{
	return s->filter.min_age_ns && record_state(record_at(s->heap, id)) == RECORD_LIVE &&
	       born(s, id) + s->filter.min_age_ns > heap_ns(s->heap, s->heap->now);
}

/* It may come of age.  Records are nearly in order of birth: only pieces of a mapping come late. */
static void young_add(struct selection *s, uint32_t id)
{
	size_t at = s->young.count;

	vector_push(&s->young, id);
	for (; at > s->young_head && born(s, s->young.items[at - 1]) > born(s, id); at--)
		s->young.items[at] = s->young.items[at - 1];
	s->young.items[at] = id;
}

static size_t young_grow_up(struct selection *s, size_t max)
{
	for (; max && s->young_head < s->young.count; s->young_head++, max--) {
		uint32_t id = s->young.items[s->young_head];

		if (too_young(s, id))
			break;
		select_evaluate(s, id);
	}
	if (s->young_head * 2 > s->young.count) {
		s->young.count -= s->young_head;
		memmove(s->young.items, s->young.items + s->young_head,
			s->young.count * sizeof(*s->young.items));
		s->young_head = 0;
	}
	return max;
}

/* Look at records; returns how many more may be. */
static size_t look(struct selection *s, size_t max)
{
	const struct records *records = &s->heap->records;

	for (; max && s->changes < records->changes; s->changes++, max--)
		if (record_change(s->heap, s->changes) < s->cursor)
			select_evaluate(s, record_change(s->heap, s->changes));
	for (; max && s->again < s->again_end; s->again++, max--)
		select_evaluate(s, s->again);
	max = young_grow_up(s, max);
	for (; max && s->cursor < records->count; s->cursor++, max--) {
		select_evaluate(s, s->cursor);
		if (is_pages(record_at(s->heap, s->cursor)))
			vector_push(&s->pages, s->cursor);
		if (too_young(s, s->cursor))
			young_add(s, s->cursor);
	}
	return s->groups_on ? peaks_step(s, max) : max;
}

static bool caught_up(const struct selection *s)
{
	return s->changes == s->heap->records.changes && s->again == s->again_end && !s->again_wanted &&
	       s->cursor == s->heap->records.count && (!s->groups_on || peaks_ready(s)) &&
	       (s->young_head == s->young.count || too_young(s, s->young.items[s->young_head]));
}

bool select_step(struct selection *s, size_t max)
{
	bool ready;

	marks_reserve(s);
	notice(s);
	max = look(s, max);
	commit(s);
	s->caught_up = caught_up(s);
	ready = s->caught_up && order_step(s, max);
	groups_sort(s);
	return ready && !(s->groups_on && s->groups_dirty);
}

unsigned select_progress(const struct selection *s)
{
	uint64_t all = s->heap->records.count;
	unsigned looked = all ? (unsigned)(s->cursor * 700ull / all) : 700;

	if (!s->sorting)
		return looked * 1000 / 700;
	return looked + s->sorter.pass * 300 / 8;
}

uint64_t select_generation(const struct selection *s)
{
	return s->generation;
}

size_t select_count(const struct selection *s)
{
	return s->order_valid ? s->order.count : s->ids.count;
}

static uint32_t row_id(const struct selection *s, size_t at)
{
	return s->order_valid ? s->order.items[at].id : s->ids.items[at];
}

uint32_t select_at(const struct selection *s, size_t row)
{
	return row_id(s, s->reverse ? select_count(s) - 1 - row : row);
}

static size_t row_of(const struct selection *s, size_t at)
{
	return s->reverse ? select_count(s) - 1 - at : at;
}

size_t select_find(const struct selection *s, uint32_t id, size_t hint)
{
	size_t count = select_count(s), low, high;

	if (id >= s->cursor || !(s->marks[id] & MARK_IN) || !count)
		return SIZE_MAX;
	if (!s->order_valid) {
		size_t at = lower_bound(s, id);

		return at < count && s->ids.items[at] == id ? row_of(s, at) : SIZE_MAX;
	}
	low = high = row_of(s, hint < count ? hint : count - 1);
	for (;;) {
		if (high < count && row_id(s, high) == id)
			return row_of(s, high);
		if (row_id(s, low) == id)
			return row_of(s, low);
		if (!low && high + 1 >= count)
			return SIZE_MAX;
		low -= low > 0;
		high += high + 1 < count;
	}
}

size_t select_find_time(const struct selection *s, uint64_t ns)
{
	size_t low = 0, high = s->ids.count;

	if (s->order_valid || s->reverse)
		return SIZE_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (heap_ns(s->heap, record_at(s->heap, s->ids.items[middle])->alloc_stamp) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->ids.count ? low : SIZE_MAX;
}
