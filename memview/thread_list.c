/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of threads: what the selection has of each, all columns, sorted by any.
 *
 * As everywhere, amounts are of heap blocks; mappings have columns of their own, which only traces with some show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/units.h"
#include "memview/trees.h"
#include "memview/view.h"

enum { NAME_COLUMNS = 16, TID_COLUMNS = 9, AMOUNT_COLUMNS = 11 };

static const char *const columns[] = {
	"Allocated", "Freed", "Net", "Leaked", "Peak", "Mmap", "Mmap net", "Count", "Temporary", "Name", "TID", NULL,
};
enum column {
	BY_ALLOCATED, BY_FREED, BY_NET, BY_LEAKED, BY_PEAK, BY_MMAP, BY_MMAP_NET, BY_COUNT, BY_TEMPORARY, BY_NAME, BY_TID,
};

/* What the selection has of a thread. */
struct own {
	struct amounts blocks, pages;
};

static bool own_get(const struct view *view, uint32_t thread, struct own *out)
{
	select_thread(view->selection, thread, HEAP_BLOCKS, &out->blocks);
	select_thread(view->selection, thread, HEAP_PAGES, &out->pages);
	return out->blocks.count || out->pages.count;
}

static uint64_t amount(const struct own *own, enum column column)
{
	const struct amounts *a = &own->blocks;

	switch (column) {
	case BY_FREED: return a->bytes - a->live_bytes;
	case BY_NET: return a->live_bytes;
	case BY_LEAKED: return a->leaked_bytes;
	case BY_PEAK: return a->peak_bytes;
	case BY_MMAP: return own->pages.bytes;
	case BY_MMAP_NET: return own->pages.live_bytes;
	case BY_COUNT: return a->count;
	case BY_TEMPORARY: return a->temporary;
	default: return a->bytes;
	}
}

static bool is_bytes(enum column column)
{
	return column < BY_COUNT;
}

struct ranked {
	uint64_t key;
	uint32_t thread;
	const char *name;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int by_name = x->name ? strcmp(x->name, y->name) : 0;

	if (by_name)
		return by_name;
	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static struct ranked ranked_of(const struct view *view, uint32_t thread, const struct own *own)
{
	enum column column = (enum column)view->order[VIEW_THREADS].column;
	struct ranked r = { 0, thread, NULL };
	struct heap_thread t;

	thread_get(view->heap, thread, &t);
	if (column == BY_NAME)
		r.name = t.name;
	else
		r.key = column == BY_TID ? UINT64_MAX - t.tid : amount(own, column);
	return r;
}

/* Threads with something in the selection, in order.  Made anew when rows or order changed. */
static const struct thread_rows *rows_of(const struct view *view)
{
	struct thread_rows *rows = (struct thread_rows *)&view->thread_rows; /* a cache */
	const struct view_order *order = &view->order[VIEW_THREADS];
	size_t threads = thread_count(view->heap), count = 0;
	struct ranked *ranked;

	if (rows->made && rows->generation == select_generation(view->selection) &&
	    rows->order.column == order->column && rows->order.reverse == order->reverse)
		return rows;
	ranked = xcalloc(threads + 1, sizeof(*ranked));
	for (uint32_t i = 0; i < threads; i++) {
		struct own own;

		if (own_get(view, i, &own))
			ranked[count++] = ranked_of(view, i, &own);
	}
	qsort(ranked, count, sizeof(*ranked), compare);
	vector_resize(&rows->threads, count);
	for (size_t i = 0; i < count; i++)
		rows->threads.items[i] = ranked[order->reverse ? count - 1 - i : i].thread;
	free(ranked);
	rows->made = true;
	rows->generation = select_generation(view->selection);
	rows->order = *order;
	return rows;
}

static bool is_mmap(enum column column)
{
	return column == BY_MMAP || column == BY_MMAP_NET;
}

/* As many amounts as there is room for; the one that is sorted by always. */
static int amounts_for(const struct view *view, int width, enum column out[BY_NAME])
{
	enum column sorted = (enum column)view->order[VIEW_THREADS].column;
	int most = (width - NAME_COLUMNS - 1 - TID_COLUMNS) / AMOUNT_COLUMNS, n = 0;
	bool mapped = heap_has_pages(view->heap), there = sorted >= BY_NAME;

	most = most < 1 ? 1 : most;
	for (enum column c = BY_ALLOCATED; c < BY_NAME && n < most; c++) {
		if (is_mmap(c) && !mapped && c != sorted)
			continue;
		there |= c == sorted;
		out[n++] = c;
	}
	if (!there)
		out[n - 1] = sorted;
	return n;
}

static void head(const struct view *view, struct pen *pen)
{
	enum column shown[BY_NAME];
	int n = amounts_for(view, pen_left(pen), shown);

	pen_field(pen, STYLE_TITLE, "Thread", NAME_COLUMNS + 1, false);
	pen_field(pen, STYLE_TITLE, "TID", TID_COLUMNS, false);
	for (int i = 0; i < n; i++)
		pen_field(pen, STYLE_TITLE, columns[shown[i]], AMOUNT_COLUMNS, true);
	pen_fill(pen, STYLE_TITLE);
}

static void row(struct view *view, struct pen *pen, size_t at, unsigned extra)
{
	uint32_t thread = rows_of(view)->threads.items[at];
	unsigned style = (thread == view->filter.thread ? STYLE_KEY : STYLE_PLAIN) | extra;
	enum column shown[BY_NAME];
	int n = amounts_for(view, pen_left(pen), shown);
	char text[UNITS_TEXT_MAX + 1];
	struct heap_thread t;
	struct own own;

	thread_get(view->heap, thread, &t);
	own_get(view, thread, &own);
	pen_field(pen, style, view_thread_name(view, thread, text, sizeof(text)), NAME_COLUMNS, false);
	pen_space(pen, style, 1);
	snprintf(text, sizeof(text), "%u", t.tid);
	pen_field(pen, style, text, TID_COLUMNS, false);
	for (int i = 0; i < n; i++) {
		uint64_t figure = amount(&own, shown[i]);
		unsigned how = shown[i] == BY_LEAKED && figure ? STYLE_LEAK | extra : style;

		if (is_mmap(shown[i])) /* never sampled */
			format_bytes(text, sizeof(text), figure);
		else
			trees_amount(view, text, sizeof(text), is_bytes(shown[i]) ? COST_ALLOCATED : COST_COUNT, figure);
		pen_field(pen, how, text, AMOUNT_COLUMNS, true);
	}
	pen_fill(pen, style);
}

static size_t count(const struct view *view)
{
	return rows_of(view)->threads.count;
}

static void keep(struct view *view, size_t at)
{
	view->thread = rows_of(view)->threads.items[at];
}

static bool is_set(const struct view *view)
{
	return view->thread != HEAP_NONE;
}

static bool holds(const struct view *view, size_t at)
{
	return rows_of(view)->threads.items[at] == view->thread;
}

static size_t find(const struct view *view)
{
	const struct thread_rows *rows = rows_of(view);

	for (size_t i = 0; i < rows->threads.count; i++)
		if (rows->threads.items[i] == view->thread)
			return i;
	return SIZE_MAX;
}

static void counted(struct detail *detail, unsigned style, const char *label, uint64_t count, uint64_t bytes)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	detail_field(detail, style, label, "%s (%s)", format_count(a, sizeof(a), count), format_bytes(b, sizeof(b), bytes));
}

static void detail(struct view *view, struct detail *detail)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	struct heap_thread t;

	if (view->thread >= thread_count(view->heap))
		return;
	thread_get(view->heap, view->thread, &t);
	detail_title(detail, STYLE_TITLE, "Thread, whole trace");
	detail_field(detail, STYLE_BOLD, "Name", "%s", t.name[0] ? t.name : "?");
	detail_field(detail, STYLE_PLAIN, "TID", "%u", t.tid);
	detail_field(detail, STYLE_PLAIN, "Time", "%s to %s", format_duration(a, sizeof(a), t.first_ns),
		     format_duration(b, sizeof(b), t.exited ? t.exit_ns : t.last_ns));
	detail_field(detail, STYLE_PLAIN, "State", "%s", t.exited ? "ended" : "not ended");
	counted(detail, STYLE_PLAIN, "Alloc'd", t.allocs, t.alloc_bytes);
	counted(detail, STYLE_PLAIN, "Freed", t.frees, t.freed_bytes);
	detail_field(detail, STYLE_PLAIN, "by others", "%s", format_count(a, sizeof(a), t.freed_by_others));
	detail_field(detail, STYLE_PLAIN, "of others", "%s", format_count(a, sizeof(a), t.freed_for_others));
	if (t.gone)
		counted(detail, STYLE_PLAIN, "With exec", t.gone, t.gone_bytes);
	counted(detail, STYLE_PLAIN, "Net", t.live, t.live_bytes);
	counted(detail, t.leaked ? STYLE_LEAK : STYLE_PLAIN, "Leaked", t.leaked, t.leaked_bytes);
	if (t.maps) {
		counted(detail, STYLE_PLAIN, "Mmap", t.maps, t.map_bytes);
		counted(detail, STYLE_PLAIN, "Mmap net", t.live_maps, t.live_map_bytes);
	}
	if (t.leaked_maps)
		counted(detail, STYLE_LEAK, "Mmap leak", t.leaked_maps, t.leaked_map_bytes);
	if (t.lost)
		detail_field(detail, STYLE_LEAK, "Lost", "%s events", format_count(a, sizeof(a), t.lost));
}

static bool time_of(const struct view *view, bool last, uint64_t *ns)
{
	struct heap_thread t;

	if (view->thread >= thread_count(view->heap))
		return false;
	thread_get(view->heap, view->thread, &t);
	*ns = last ? t.last_ns : t.first_ns;
	return true;
}

static void export_rows(struct view *view, size_t first, size_t n, struct buffer *out)
{
	const struct thread_rows *rows = rows_of(view);

	for (size_t at = first; at < rows->threads.count && at - first < n; at++) {
		struct heap_thread t;
		struct own own;

		thread_get(view->heap, rows->threads.items[at], &t);
		own_get(view, rows->threads.items[at], &own);
		text_sanitise(out, t.name[0] ? t.name : "?", strlen(t.name[0] ? t.name : "?"));
		buffer_printf(out, " (%u)", t.tid);
		for (enum column c = BY_ALLOCATED; c < BY_NAME; c++)
			buffer_printf(out, "  %s %llu", columns[c], (unsigned long long)amount(&own, c));
		buffer_append_char(out, '\n');
	}
}

void thread_rows_release(struct thread_rows *rows)
{
	vector_release(&rows->threads);
	rows->made = false;
}

const struct view_kind view_threads = {
	.name = "threads", .rows = "threads", .groups = true, .wide = true, .count = count, .head = head, .row = row,
	.keep = keep, .is_set = is_set, .holds = holds, .find = find, .detail = detail, .enter = view_pick_thread,
	.time = time_of, .columns = columns, .export_rows = export_rows,
};
