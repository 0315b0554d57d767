/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flattening of ranges against a slow and obvious one; which symbol wins. */
#include "symbols/spans.h"
#include "tests/tap.h"

#include <stdbool.h>

#define SPACE	64

/* The span that starts last, then has the highest rank, then the highest value. */
static uint32_t slow_find(const struct span_list *l, uint64_t address)
{
	const struct span *best = NULL;

	for (size_t i = 0; i < l->count; i++) {
		const struct span *s = &l->items[i];

		if (address < s->start || address >= s->end)
			continue;
		if (!best || s->start > best->start ||
		    (s->start == best->start && (s->rank > best->rank ||
						 (s->rank == best->rank && s->value > best->value))))
			best = s;
	}
	return best ? best->value : SPAN_NONE;
}

static bool round_is_right(void)
{
	struct span_list list = { 0 };
	struct span_index index = { 0 };
	bool right = true;

	for (int n = rand() % 12; n > 0; n--) {
		uint64_t start = (uint64_t)rand() % SPACE;

		vector_push(&list, (struct span){ start, start + (uint64_t)rand() % 20, (uint32_t)n,
						  (uint32_t)rand() % 3 });
	}
	span_flatten(&list, &index);
	for (uint64_t a = 0; a < SPACE + 30; a++) {
		if (span_find(&index, a) != slow_find(&list, a))
			right = false;
		if (span_find(&index, a) != span_find(&index, span_piece_end(&index, a) - 1))
			right = false;
	}
	vector_release(&list);
	vector_release(&index);
	return right;
}

int main(void)
{
	struct span_list list = { 0 };
	struct span_index index = { 0 };
	int wrong = 0;

	srand(3);
	for (int i = 0; i < 20000; i++)
		wrong += !round_is_right();
	is_int(wrong, 0, "20,000 random sets of ranges flatten as the obvious way does");
	span_flatten(&list, &index);
	ok(span_find(&index, 5) == SPAN_NONE, "nothing is found in nothing");
	vector_push(&list, (struct span){ UINT64_MAX - 10, UINT64_MAX, 1, 0 });
	span_flatten(&list, &index);
	is_int(span_find(&index, UINT64_MAX - 1), 1, "the top of the address space");
	vector_release(&list);
	vector_release(&index);
	return done_testing();
}
