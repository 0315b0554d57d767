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

/* All that a filter made. */
static void contents_release(struct selection *s)
{
	sort_stop(s);
	search_release(&s->search);
	marks_release(s);
	vector_release(&s->missed);
	vector_release(&s->young);
	vector_release(&s->pages);
	vector_release(&s->groups);
	vector_release(&s->group_noise);
	vector_release(&s->group_rows);
	vector_release(&s->threads);
	map_release(&s->group_of);
}

static void former_free(struct selection *s)
{
	if (!s->former)
		return;
	contents_release(s->former);
	free(s->former);
	s->former = NULL;
}

void select_free(struct selection *s)
{
	if (!s)
		return;
	former_free(s);
	contents_release(s);
	free(s);
}

static void seen(struct selection *s)
{
	s->exits_seen = s->heap->exits;
	s->symbols_seen = s->heap->modules.generation;
	s->names_seen = s->heap->names_generation;
}

/* Puts aside what was there, to come back to it; all begins anew but who was alive at the peak. */
static void put_aside(struct selection *s)
{
	struct selection *former = xmalloc(sizeof(*former));
	enum select_column column = s->column;
	bool reverse = s->reverse;

	sort_cancel(s);
	*former = *s;
	s->column = column;
	s->reverse = reverse;
	s->former = former;
	s->marks = (struct marks){ 0 };
	marks_reserve(s, s->heap->records.count);
	marks_clear(s, &former->marks);
	s->search = (struct search){ 0 };
	s->order = (struct order){ 0 };
	s->sorter = (struct sorter){ 0 };
	s->missed = (struct id_list){ 0 };
	s->young = s->pages = s->group_rows = (struct id_list){ 0 };
	memset(&s->groups, 0, sizeof(s->groups));
	memset(&s->group_noise, 0, sizeof(s->group_noise));
	memset(&s->threads, 0, sizeof(s->threads));
	map_init(&s->group_of);
}

/* All that was in is out. */
void select_filter(struct selection *s, const struct select_filter *filter)
{
	char *text = filter->search ? xstrdup(filter->search) : NULL;

	if (s->complete && s->heap->records.count)
		put_aside(s);
	else
		marks_clear(s, &s->marks);
	s->filter = *filter;
	s->filter.search = NULL;
	search_set(&s->search, text);
	free(text);
	vector_clear(&s->pages);
	s->pages_at = 0;
	vector_clear(&s->young);
	s->young_head = 0;
	groups_clear(s);
	sort_stop(s);
	s->cursor = s->again = s->again_end = 0;
	s->again_wanted = false;
	s->changes = s->heap->records.changes;
	s->complete = false;
	s->goal = s->heap->records.count;
	s->generation++;
	seen(s);
}

void select_sort(struct selection *s, enum select_column column, bool reverse)
{
	bool same = column == s->column;

	if (!same && !s->resorting && s->complete) {
		s->column_before = s->column;
		s->reverse_before = s->reverse;
		s->resorting = true;
	}
	s->column = column;
	s->reverse = reverse;
	s->generation++;
	if (!same)
		sort_restart(s);
}

/* What a cancelled filter had shown is not shown again as news. */
static void come_back(struct selection *s)
{
	struct selection *former = s->former;
	uint64_t generation = s->generation + 1, epoch = s->groups_epoch + 1;
	bool groups_on = s->groups_on;

	s->former = NULL;
	contents_release(s);
	*s = *former;
	s->former = NULL;
	s->generation = generation;
	s->groups_epoch = epoch;
	s->groups_on = groups_on;
	free(former);
}

bool select_cancel(struct selection *s)
{
	if (s->former) {
		come_back(s);
		return true;
	}
	return sort_cancel(s);
}

enum select_work select_work(const struct selection *s, unsigned *permille)
{
	uint64_t goal = s->goal ? s->goal : 1;

	if (!s->complete && s->cursor < s->goal) {
		*permille = (unsigned)(s->cursor * 1000ull / goal);
		return s->former ? SELECT_FILTERS : SELECT_READS;
	}
	*permille = sort_progress(s);
	return sort_is_new(s) ? SELECT_SORTS : SELECT_RESTS;
}

bool select_is_settled(const struct selection *s)
{
	return s->complete && !s->former && !s->resorting;
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
	uint8_t *mark = mark_at(s, id), old = *mark, new = match_record(s, r) | (old & MARK_SORTED);

	if (is_pages(r))
		new |= peaks_of_pages(s, r) ? MARK_PEAK : 0;
	else
		new |= old & MARK_PEAK;
	if (old == new)
		return;
	*mark = new;
	if (old & MARK_IN)
		group_count(s, id, r, old, false);
	if (new & MARK_IN)
		group_count(s, id, r, new, true);
	if ((old ^ new) & MARK_IN) {
		marks_count(s, id, new & MARK_IN);
		if (s->order_valid || s->sorter.phase != SORTER_RESTS)
			vector_push(&s->missed, id);
	}
	s->generation++;
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

/* Records that there are marks for. */
static uint32_t reach(const struct selection *s)
{
	return s->heap->records.count < s->marks.room ? s->heap->records.count : (uint32_t)s->marks.room;
}

/* Look at records; returns how many more may be. */
static size_t look(struct selection *s, size_t max)
{
	const struct records *records = &s->heap->records;

	for (; max && s->changes < records->changes; s->changes++, max--) {
		uint32_t id = record_change(s->heap, s->changes);

		if (id >= s->cursor)
			continue;
		spill_touch(s->heap->spill, record_at(s->heap, id));
		select_evaluate(s, id);
	}
	for (; max && s->again < s->again_end; s->again++, max--)
		select_evaluate(s, s->again);
	max = young_grow_up(s, max);
	for (; max && s->cursor < reach(s); s->cursor++, max--) {
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
	       s->cursor == reach(s) && (!s->groups_on || peaks_ready(s)) &&
	       (s->young_head == s->young.count || too_young(s, s->young.items[s->young_head]));
}

bool select_step(struct selection *s, size_t max)
{
	bool ready;

	marks_reserve(s, s->heap->records.count);
	notice(s);
	max = look(s, max);
	s->caught_up = caught_up(s);
	ready = s->caught_up && sort_step(s, max);
	groups_sort(s);
	if (s->caught_up && !sort_is_new(s)) {
		s->complete = true;
		former_free(s);
	}
	spill_trim(s->heap->spill);
	return ready && !(s->groups_on && s->groups_dirty);
}

bool select_has_all(const struct selection *s)
{
	return s->cursor >= s->heap->records.count && !s->missed.count && s->sorter.phase == SORTER_RESTS;
}

uint64_t select_generation(const struct selection *s)
{
	return s->generation;
}

size_t select_count(const struct selection *s)
{
	return s->order_valid ? s->order.count : s->marks.count;
}

/* Rows stand as before while they are sorted anew. */
static bool is_reversed(const struct selection *s)
{
	return s->resorting ? s->reverse_before : s->reverse;
}

static uint32_t row_id(const struct selection *s, size_t at)
{
	return s->order_valid ? *order_at(&s->order, at) : marks_at(s, at);
}

static size_t row_of(const struct selection *s, size_t at)
{
	return is_reversed(s) ? select_count(s) - 1 - at : at;
}

uint32_t select_at(const struct selection *s, size_t row)
{
	return row_id(s, row_of(s, row));
}

size_t select_find(const struct selection *s, uint32_t id)
{
	size_t at;

	if (id >= s->cursor || !(*mark_at(s, id) & MARK_IN) || !select_count(s))
		return SIZE_MAX;
	if (!s->order_valid)
		return row_of(s, marks_rank(s, id));
	at = order_place(s, &s->order, order_key(s, &s->order, id), id);
	return at < s->order.count && *order_at(&s->order, at) == id ? row_of(s, at) : SIZE_MAX;
}

size_t select_find_time(const struct selection *s, uint64_t ns)
{
	size_t low = 0, high = s->marks.count;

	if (s->order_valid || is_reversed(s))
		return SIZE_MAX;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (heap_ns(s->heap, record_at(s->heap, marks_at(s, middle))->alloc_stamp) < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->marks.count ? low : SIZE_MAX;
}
