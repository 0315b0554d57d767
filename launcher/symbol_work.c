/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting what waits and handing it out. */
#include "launcher/symbol_work.h"

#include <stdlib.h>
#include <string.h>

#include "launcher/symbol_files.h"

#define SHARE_LEAST	64u	/* addresses: fewer are not worth a second reader of DWARF */

static int by_address(const void *left, const void *right)
{
	const struct symbol_work *a = left, *b = right;

	if (a->file != b->file)
		return (uintptr_t)a->file < (uintptr_t)b->file ? -1 : 1;
	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

static void sort(struct symbol_works *w)
{
	if (w->count > 1)
		qsort(w->items, w->count, sizeof(*w->items), by_address);
}

void symbol_backlog_release(struct symbol_backlog *b)
{
	vector_release(&b->all);
	vector_release(&b->runs);
}

/* What was taken of runs lies at their ends: closes the gaps. */
static void unsort(struct symbol_backlog *b)
{
	size_t kept = 0;

	if (!b->sorted)
		return;
	for (size_t i = 0; i < b->runs.count; i++) {
		struct symbol_run r = b->runs.items[i];

		memmove(b->all.items + kept, b->all.items + r.first, (r.end - r.first) * sizeof(*b->all.items));
		kept += r.end - r.first;
	}
	b->all.count = kept;
	b->sorted = false;
}

void symbol_backlog_add(struct symbol_backlog *b, const struct symbol_work *items, size_t count)
{
	if (!count)
		return;
	unsort(b);
	vector_reserve(&b->all, b->all.count + count);
	memcpy(b->all.items + b->all.count, items, count * sizeof(*items));
	b->all.count += count;
	b->left = b->all.count;
}

static void move(struct symbol_works *work, const struct symbol_work *items, size_t n)
{
	vector_clear(work);
	vector_reserve(work, n);
	if (n)
		memcpy(work->items, items, n * sizeof(*items));
	work->count = n;
}

void symbol_backlog_take_newest(struct symbol_backlog *b, size_t most, struct symbol_works *work)
{
	size_t n;

	unsort(b);
	n = b->all.count < most ? b->all.count : most;
	move(work, b->all.items + b->all.count - n, n);
	b->all.count -= n;
	b->left = b->all.count;
	sort(work);
}

static void make_runs(struct symbol_backlog *b)
{
	sort(&b->all);
	vector_clear(&b->runs);
	for (size_t i = 0; i < b->all.count; i++) {
		if (!i || b->all.items[i].file != b->all.items[i - 1].file)
			vector_push(&b->runs, (struct symbol_run){ i, i });
		b->runs.items[b->runs.count - 1].end++;
	}
	b->sorted = true;
}

static unsigned workers_of(const struct symbol_backlog *b, const struct symbol_run *r)
{
	const struct symbol_file *file = b->all.items[r->first].file;

	return file ? file->workers : 0;
}

static bool splits(const struct symbol_backlog *b, const struct symbol_run *r)
{
	const struct symbol_file *file = b->all.items[r->first].file;

	return file && symbol_file_splits(file);
}

/* The longest of those that the fewest work on. */
static struct symbol_run *pick(const struct symbol_backlog *b)
{
	struct symbol_run *best = NULL;

	for (size_t i = 0; i < b->runs.count; i++) {
		struct symbol_run *r = &b->runs.items[i];
		unsigned workers;

		if (r->first == r->end || (workers_of(b, r) && !splits(b, r)))
			continue;
		workers = workers_of(b, r);
		if (!best || workers < workers_of(b, best) ||
		    (workers == workers_of(b, best) && r->end - r->first > best->end - best->first))
			best = r;
	}
	return best;
}

bool symbol_backlog_take_share(struct symbol_backlog *b, unsigned threads, struct symbol_works *work)
{
	struct symbol_run *r;
	size_t n;

	if (!b->sorted)
		make_runs(b);
	r = pick(b);
	if (!r)
		return false;
	n = r->end - r->first;
	if (splits(b, r) && n > SHARE_LEAST)
		n = n / (2 * threads) > SHARE_LEAST ? n / (2 * threads) : SHARE_LEAST;
	move(work, b->all.items + r->end - n, n);
	r->end -= n;
	b->left -= n;
	return true;
}
