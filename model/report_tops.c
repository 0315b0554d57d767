/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of call sites in the text report. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/report_parts.h"
#include "model/report_sites.h"
#include "model/threads.h"

#define TOP_MINOR	3u	/* rows of the tables that matter less */
#define ROUTES_SHOWN	2u	/* callers of a call site */

static const char *unit_of(const struct report *r, const struct fold *fold)
{
	struct heap_site site;

	site_get(r->heap, fold->site, &site);
	return site.class == HEAP_PAGES ? "mapping" : "block";
}

static void fold_line(const struct report *r, const struct fold *fold, enum site_cost cost)
{
	uint64_t count_margin = noise_count_margin(fold->noise.count);
	uint64_t bytes_margin = noise_bytes_margin(fold->noise.bytes);
	const char *count = report_about_number(fold->count, count_margin);
	const char *bytes = report_about_bytes(fold->bytes, bytes_margin);
	struct heap_site site;
	struct heap_thread thread;

	site_get(r->heap, fold->site, &site);
	if (cost == SITE_BY_COUNT)
		buffer_printf(r->out, "  %s allocation%s of %s", count, report_plural(fold->count), bytes);
	else if (cost == SITE_BY_TEMPORARY)
		buffer_printf(r->out, "  %s of %s allocation%s", count, report_number(fold->allocs),
			      report_plural(fold->allocs));
	else
		buffer_printf(r->out, "  %s in %s %s%s", bytes, count, unit_of(r, fold), report_plural(fold->count));
	if (count_margin || bytes_margin)
		buffer_printf(r->out, " (+-%s, +-%s)", cost == SITE_BY_COUNT ? report_number(count_margin) :
			      report_bytes(bytes_margin), cost == SITE_BY_COUNT ? report_bytes(bytes_margin) :
			      report_number(count_margin));
	if (fold->stacks > 1)
		buffer_printf(r->out, ", %s stacks", report_number(fold->stacks));
	thread_get(r->heap, site.thread, &thread);
	if (fold->many_threads) {
		buffer_append_string(r->out, ", several threads");
	} else if (thread_count(r->heap) > 1 && thread.name[0]) {
		buffer_append_string(r->out, ", thread ");
		report_clip(thread.name, 20, r->out);
	}
	buffer_append_char(r->out, '\n');
}

/* Who called the place of a fold, unless it is nearly always the same. */
static size_t routes(const struct folder *folder, const struct fold *fold, struct fold *out)
{
	size_t found = 0, count = 0;

	if (fold->stacks > 1)
		count = folder_routes(folder, fold, out, ROUTES_SHOWN, &found);
	return found > 1 && out[0].cost < fold->cost / 10 * 9 ? count : 0;
}

static void route_line(const struct report *r, const struct fold *fold, const struct fold *route,
	enum site_cost cost)
{
	struct buffer line = BUFFER_INIT;
	size_t width;

	buffer_printf(&line, "%8u %%  ", report_percent(route->cost, fold->cost));
	if (cost != SITE_BY_TEMPORARY && cost != SITE_BY_COUNT)
		buffer_printf(&line, "%s in ", report_bytes(route->bytes));
	buffer_printf(&line, "%s %s%s via ", report_number(route->count),
		      cost == SITE_BY_TEMPORARY || cost == SITE_BY_COUNT ? "allocation" : unit_of(r, fold), report_plural(route->count));
	width = text_width(buffer_text(&line), line.length);
	buffer_append(r->out, buffer_text(&line), line.length);
	report_route(r->heap, route->site, width < r->options.width ? r->options.width - (unsigned)width : 1, r->out);
	buffer_append_char(r->out, '\n');
	buffer_release(&line);
}

static void fold_print(const struct report *r, const struct folder *folder, const struct fold *fold,
	enum site_cost cost, unsigned frames)
{
	struct fold route[ROUTES_SHOWN];
	size_t count = routes(folder, fold, route);

	fold_line(r, fold, cost);
	report_stack(r->heap, fold->site, count ? 1 : frames, 6, r->options.width, r->out);
	for (size_t i = 0; i < count; i++)
		route_line(r, fold, &route[i], cost);
}

/* The tables, in the order of the report. */
static const struct table {
	const char *title;
	enum site_cost cost;
	enum heap_class which;
	bool whole_stacks, minor;
} tables[] = {
	{ "Leaked, by call site", SITE_BY_LEAKED, HEAP_BLOCKS, true, false },
	{ "Live at the end of the data, by call site", SITE_BY_LIVE, HEAP_BLOCKS, true, false },
	{ "At the peak, by call site", SITE_BY_PEAK, HEAP_BLOCKS, false, false },
	{ "Most bytes allocated", SITE_BY_ALLOCATED, HEAP_BLOCKS, false, true },
	{ "Most allocations", SITE_BY_COUNT, HEAP_BLOCKS, false, true },
	{ "Most temporary allocations", SITE_BY_TEMPORARY, HEAP_BLOCKS, false, true },
	{ "Mapped and never unmapped", SITE_BY_LEAKED, HEAP_PAGES, false, false },
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

static bool is_wanted(const struct report *r, const struct table *table)
{
	switch (table->cost) {
	case SITE_BY_LEAKED: return table->which == HEAP_BLOCKS ? r->blocks.leaked : r->pages.leaked;
	case SITE_BY_LIVE: return !r->status.leaks_final;
	case SITE_BY_TEMPORARY: return r->blocks.temporary;
	default: return true;
	}
}

static void table_print(const struct report *r, const struct table *table, struct folder *folder)
{
	unsigned most = table->minor && r->options.top > TOP_MINOR ? TOP_MINOR : r->options.top;
	unsigned frames = !table->whole_stacks && r->options.frames > 2 ? 2 : r->options.frames;
	struct fold *folds = xcalloc(most, sizeof(*folds));
	size_t found, count = folder_top(folder, folds, most, &found);

	if (count) {
		buffer_printf(r->out, "\n%s", table->title);
		if (found > count)
			buffer_printf(r->out, " (%s of %s call sites)", report_number(count), report_number(found));
		buffer_append_char(r->out, '\n');
	}
	for (size_t i = 0; i < count; i++)
		fold_print(r, folder, &folds[i], table->cost, frames);
	free(folds);
}

bool report_tops_step(const struct report *r, struct report_tops *tops, size_t max)
{
	while (tops->table < TABLES && !is_wanted(r, &tables[tops->table]))
		tops->table++;
	if (tops->table == TABLES)
		return true;
	if (!tops->folder)
		tops->folder = folder_new(r->heap, tables[tops->table].cost, tables[tops->table].which);
	if (!folder_step(tops->folder, max))
		return false;
	table_print(r, &tables[tops->table], tops->folder);
	report_tops_release(tops);
	return ++tops->table == TABLES;
}

void report_tops_release(struct report_tops *tops)
{
	folder_free(tops->folder);
	tops->folder = NULL;
}
