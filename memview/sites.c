/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of call sites: one row for each identical stack of the selected records. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"
#include "memview/view.h"
#include "model/export.h"

enum { MARK_COLUMNS = 2, COUNT_COLUMNS = 9, TOTAL_COLUMNS = 10, MARGIN_COLUMNS = 6, RATE_COLUMNS = 12, THREAD_COLUMNS_ = 15,
       SITE_COLUMNS_MIN = 20 };

/* The rate goes first when there is no room, then the thread. */
struct columns {
	bool margin, rate, thread;	/* the margin of a sampled trace's total */
	int site;
};

static struct columns columns_for(const struct view *view, int width)
{
	struct columns c = { .margin = trees_sampled(view), .rate = false, .thread = false };
	int left = width - (MARK_COLUMNS + COUNT_COLUMNS + 1 + TOTAL_COLUMNS + 1) - (c.margin ? MARGIN_COLUMNS : 0);

	if (left >= RATE_COLUMNS + 1 + SITE_COLUMNS_MIN / 2) {
		c.rate = true;
		left -= RATE_COLUMNS + 1;
	}
	if (left >= THREAD_COLUMNS_ + 1 + SITE_COLUMNS_MIN) {
		c.thread = true;
		left -= THREAD_COLUMNS_ + 1;
	}
	c.site = left > 0 ? left : 0;
	return c;
}

/* What the column of totals is of: counts have a column of their own. */
static const char *total_title(enum cost cost)
{
	static const char *const titles[COSTS] = {
		[COST_ALLOCATED] = "Total", [COST_COUNT] = "Total", [COST_TEMPORARY] = "Temporary",
		[COST_PEAK] = "Peak", [COST_LEAKED] = "Leaked", [COST_LIVE] = "Live",
	};

	return titles[cost];
}

static uint64_t total_of(const struct select_group *group, enum cost cost)
{
	struct amounts a;

	select_group_amounts(group, &a);
	return cost_of(&a, cost == COST_COUNT ? COST_ALLOCATED : cost);
}

static uint64_t total_margin(const struct select_group *g, enum cost cost)
{
	return cost == COST_PEAK ? g->margin.peak_bytes : cost == COST_LEAKED ? g->margin.leaked_bytes :
	       cost == COST_LIVE ? g->margin.live_bytes : g->margin.alloc_bytes;
}

static void head(const struct view *view, struct pen *pen)
{
	struct columns c = columns_for(view, pen_left(pen));

	pen_field(pen, STYLE_TITLE, "Count", MARK_COLUMNS + COUNT_COLUMNS, true);
	pen_field(pen, STYLE_TITLE, total_title(view->cost), 1 + TOTAL_COLUMNS, true);
	if (c.margin)
		pen_field(pen, STYLE_TITLE, "95%", MARGIN_COLUMNS, true);
	if (c.rate)
		pen_field(pen, STYLE_TITLE, "Rate/s", RATE_COLUMNS + 1, true);
	pen_space(pen, STYLE_TITLE, 1);
	pen_field(pen, STYLE_TITLE, "First frame", c.site, false);
	if (c.thread) {
		pen_space(pen, STYLE_TITLE, 1);
		pen_field(pen, STYLE_TITLE, "Thread", THREAD_COLUMNS_, false);
	}
	pen_fill(pen, STYLE_TITLE);
}

void view_site_name(const struct view *view, const struct heap_site *site, struct buffer *out)
{
	if (!stack_print_place(view->heap, site->stack, view->lines, out))
		buffer_printf(out, "%s %s", heap_op_label(site->op), size_bucket_label(site->bucket));
}

static void thread_text(const struct view *view, const struct select_group *group, char *out, size_t size)
{
	char tid[UNITS_TEXT_MAX];

	snprintf(out, size, "%s%s", group->many_threads ? "+" : "",
		 view_thread_name(view, group->thread, tid, sizeof(tid)));
}

/* "~1.2 MiB": an estimate, unless nothing is uncertain about it. */
static const char *about(char *out, size_t size, const char *text, uint64_t margin)
{
	snprintf(out, size, "%s%s", margin ? "~" : "", text);
	return out;
}

/* In percent of the total: 95 % of the time the truth is not further off. */
static void margin_field(struct pen *pen, unsigned style, const struct select_group *g, enum cost cost)
{
	uint64_t total = total_of(g, cost);
	uint64_t percent = total ? (total_margin(g, cost) * 100 + total / 2) / total : 0;
	char text[16];

	snprintf(text, sizeof(text), "%s%u%%", term_unicode(pen->term) ? "\u00b1" : "+-",
		 percent < 999 ? (unsigned)percent : 999u);
	pen_field(pen, style, text, MARGIN_COLUMNS, true);
}

static void count_field(struct pen *pen, unsigned style, uint64_t n, uint64_t margin)
{
	char text[UNITS_TEXT_MAX + 1], number[UNITS_TEXT_MAX];
	int width;

	about(text, sizeof(text), format_count(number, sizeof(number), n), margin);
	width = COUNT_COLUMNS - 1 - (int)strlen(text);
	pen_space(pen, style, width);
	pen_glyph(pen, style, GLYPH_TIMES);
	pen_text(pen, style, text);
}

/* One allocation has no rate. */
static const char *rate_text(const struct select_group *group, char *out, size_t size)
{
	char bytes[UNITS_TEXT_MAX];

	if (group->count < 2 || !(group->rate < 1e18))
		return "-";
	snprintf(out, size, "%s/s", format_bytes(bytes, sizeof(bytes), (uint64_t)group->rate));
	return out;
}

/* Blocks that the runtime keeps; others of its sites are freed in time. */
static bool is_kept(const struct heap_site *site, const struct select_group *group)
{
	return site->runtime && group->live;
}

static void row(struct view *view, struct pen *pen, size_t at, unsigned extra)
{
	struct columns c = columns_for(view, pen_left(pen));
	struct buffer name = BUFFER_INIT;
	struct select_group g;
	struct heap_site site;
	char text[128], size[UNITS_TEXT_MAX];
	unsigned style;

	select_group_at(view->selection, at, &g);
	site_get(view->heap, g.site, &site);
	style = (g.leaked ? STYLE_LEAK : is_kept(&site, &g) ? STYLE_FAINT : g.live ? STYLE_PLAIN : STYLE_FREED) | extra;
	if (is_kept(&site, &g))
		pen_text(pen, style, "R");
	else if (g.never_fell)
		pen_glyph(pen, STYLE_LEAK | extra, GLYPH_GROWING);
	else
		pen_space(pen, style, 1);
	pen_space(pen, style, MARK_COLUMNS - 1);
	count_field(pen, style, g.count, g.margin.allocs);
	if (view->cost == COST_TEMPORARY)
		format_count(size, sizeof(size), g.temporary);
	else
		format_bytes(size, sizeof(size), total_of(&g, view->cost));
	about(text, sizeof(text), size, total_margin(&g, view->cost));
	pen_field(pen, style, text, 1 + TOTAL_COLUMNS, true);
	if (c.margin)
		margin_field(pen, style, &g, view->cost);
	if (c.rate) {
		pen_field(pen, style, rate_text(&g, text, sizeof(text)), RATE_COLUMNS + 1, true);
	}
	pen_space(pen, style, 1);
	view_site_name(view, &site, &name);
	pen_field(pen, style, buffer_text(&name), c.site, false);
	buffer_release(&name);
	if (c.thread) {
		thread_text(view, &g, text, sizeof(text));
		pen_space(pen, style, 1);
		pen_field(pen, style, text, THREAD_COLUMNS_, false);
	}
	pen_fill(pen, style);
}

static size_t count(const struct view *view)
{
	return select_group_count(view->selection);
}

static void keep(struct view *view, size_t at)
{
	struct select_group g;

	select_group_at(view->selection, at, &g);
	view->site = g.site;
}

static bool is_set(const struct view *view)
{
	return view->site != HEAP_NONE;
}

static bool holds(const struct view *view, size_t at)
{
	struct select_group g;

	select_group_at(view->selection, at, &g);
	return g.site == view->site;
}

static size_t find(const struct view *view)
{
	return view->site == HEAP_NONE ? SIZE_MAX : select_group_find(view->selection, view->site);
}

static bool selected(const struct view *view, struct select_group *group)
{
	size_t at = find(view);

	if (at == SIZE_MAX)
		return false;
	select_group_at(view->selection, at, group);
	return true;
}

static void amount(struct detail *detail, unsigned style, const char *label, const uint64_t figures[2],
	const uint64_t margins[2])
{
	char number[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX], off[UNITS_TEXT_MAX], size_off[UNITS_TEXT_MAX];

	format_count(number, sizeof(number), figures[0]);
	format_bytes(size, sizeof(size), figures[1]);
	format_count(off, sizeof(off), margins[0]);
	format_bytes(size_off, sizeof(size_off), margins[1]);
	if (margins[0] || margins[1])
		detail_field(detail, style, label, "~%s +-%s (~%s +-%s)", number, off, size, size_off);
	else
		detail_field(detail, style, label, "%s (%s)", number, size);
}

#define AMOUNT(detail, style, label, g, figure) \
	amount(detail, style, label, (uint64_t[]){ (g)->figure, (g)->figure##_bytes }, \
	       (uint64_t[]){ (g)->margin.figure, (g)->margin.figure##_bytes })

static void free_sites(const struct view *view, struct detail *detail, bool runtime)
{
	char text[64], number[UNITS_TEXT_MAX];

	if (view->free_sites_of != view->site) {
		detail_title(detail, STYLE_TITLE, "Freed at");
		detail_text(detail, STYLE_FAINT, "...");
		return;
	}
	if (!view->free_site_count) {
		detail_title(detail, runtime ? STYLE_FAINT : STYLE_LEAK, "Never freed");
		return;
	}
	for (size_t i = 0; i < view->free_site_count && i < 8; i++) {
		format_count(number, sizeof(number), view->free_sites[i].count);
		snprintf(text, sizeof(text), "Freed %s time%s at", number,
			 view->free_sites[i].count == 1 ? "" : "s");
		detail_title(detail, STYLE_TITLE, text);
		detail_stack(detail, view->heap, view->free_sites[i].stack, view->lines);
	}
}

/* Of all its blocks, whatever is filtered; known with the free sites. */
static void lifetimes(const struct view *view, struct detail *detail)
{
	const struct scan_lifetimes *l = &view->lifetimes;
	char shortest[UNITS_TEXT_MAX], median[UNITS_TEXT_MAX], longest[UNITS_TEXT_MAX];

	if (view->free_sites_of != view->site || !l->count) {
		detail_field(detail, STYLE_FAINT, "Lived", view->free_sites_of != view->site ? "..." : "none was freed");
		return;
	}
	format_duration(shortest, sizeof(shortest), l->shortest_ns);
	format_duration(median, sizeof(median), l->median_ns);
	format_duration(longest, sizeof(longest), l->longest_ns);
	if (strcmp(shortest, longest) == 0)
		detail_field(detail, STYLE_PLAIN, "Lived", "%s", longest);
	else
		detail_field(detail, STYLE_PLAIN, "Lived", "%s to %s, median ~%s", shortest, longest, median);
}

static void detail_times(struct detail *detail, const struct select_group *g)
{
	char from[UNITS_TEXT_MAX], to[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX + 2];

	format_duration(from, sizeof(from), g->first_ns);
	format_duration(to, sizeof(to), g->last_ns);
	detail_field(detail, STYLE_PLAIN, "Time", "%s to %s", from, to);
	detail_field(detail, STYLE_PLAIN, "Rate", "%s", rate_text(g, rate, sizeof(rate)));
}

static void detail(struct view *view, struct detail *detail)
{
	struct select_group g;
	struct heap_site site;
	struct block_record example;
	char text[128];

	if (!selected(view, &g))
		return;
	site_get(view->heap, g.site, &site);
	block_get(view->heap, g.example, &example);
	detail_title(detail, STYLE_TITLE, "Call site");
	amount(detail, STYLE_BOLD, "Shown", (uint64_t[]){ g.count, g.bytes },
	       (uint64_t[]){ g.margin.allocs, g.margin.alloc_bytes });
	AMOUNT(detail, g.leaked ? STYLE_LEAK : STYLE_PLAIN, "Leaked", &g, leaked);
	AMOUNT(detail, STYLE_PLAIN, "Live", &g, live);
	AMOUNT(detail, STYLE_PLAIN, "At peak", &g, peak);
	if (g.temporary)
		detail_field(detail, STYLE_PLAIN, "Temp.", "%s", format_count(text, sizeof(text), g.temporary));
	if (is_kept(&site, &g))
		detail_text(detail, STYLE_FAINT, RUNTIME_WHY);
	else if (g.never_fell)
		detail_field(detail, STYLE_LEAK, "Growth", "its live bytes never fell");
	detail_times(detail, &g);
	thread_text(view, &g, text, sizeof(text));
	detail_field(detail, STYLE_PLAIN, "Thread", "%s%s", text + g.many_threads,
		     g.many_threads ? " and others" : "");
	amount(detail, STYLE_PLAIN, "In all", (uint64_t[]){ site.allocs, site.alloc_bytes },
	       (uint64_t[]){ site.margin.allocs, site.margin.alloc_bytes });
	lifetimes(view, detail);
	detail_field(detail, STYLE_PLAIN, "Example", "%s 0x%llx, %s", heap_op_label(example.op),
		     (unsigned long long)example.ptr, format_bytes(text, sizeof(text), example.size));
	detail_title(detail, STYLE_TITLE, "Allocated at");
	detail_stack(detail, view->heap, site.stack, view->lines);
	free_sites(view, detail, site.runtime);
}

static void enter(struct view *view)
{
	struct select_group g;

	if (!selected(view, &g))
		return;
	view_set_kind(view, 0);
	view->record = g.example;
}

static bool time_of(const struct view *view, bool last, uint64_t *ns)
{
	struct select_group g;

	if (!selected(view, &g))
		return false;
	*ns = last ? g.last_ns : g.first_ns;
	return true;
}

static const char *const columns[] = { "Total", "Count", "Rate", NULL };

const struct view_kind view_sites = {
	.name = "call sites", .groups = true, .count = count, .head = head, .row = row, .keep = keep,
	.is_set = is_set, .holds = holds, .find = find, .detail = detail, .enter = enter, .time = time_of, .columns = columns,
	.sort = select_sort_groups, .export = export_groups,
};
