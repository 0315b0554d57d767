/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every question that a viewer or a report asks of the model. */
#include "tests/fuzz/queries.h"

#include "base/buffer.h"
#include "model/blocks.h"
#include "model/check.h"
#include "model/export.h"
#include "model/findings.h"
#include "model/footprint.h"
#include "model/modules.h"
#include "model/report.h"
#include "model/scan.h"
#include "model/select.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"
#include "model/timeline.h"
#include "tests/fuzz/target.h"
#include "trace/functions.h"

#define CELLS		40u
#define ROWS_MAX	200u
#define STEP		100u
#define SESSIONS_MAX	4u

/* What goes to a terminal has no control characters. */
static void check_printable(const struct buffer *text)
{
	for (size_t i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->data[i];

		fuzz_rule(c == '\n' || (c >= 0x20 && c != 0x7f));
	}
}

static void ask_stack(struct heap *heap, uint32_t stack)
{
	struct stack_frame frames[16];
	struct buffer text = BUFFER_INIT;
	size_t count = stack_frames(heap, stack, frames, 16);

	stack_cut_reason(heap, stack);
	stack_first_user_frame(heap, stack);
	for (size_t i = 0; i < count && i < 16; i++) {
		stack_frame_print(&frames[i], i % 2, &text);
		stack_frame_matches(&frames[i], "a");
	}
	check_printable(&text);
	buffer_release(&text);
}

static void ask_rows(struct heap *heap, struct selection *s)
{
	struct buffer text = BUFFER_INIT;
	struct block_record record;
	struct select_group group;
	struct heap_status status;
	struct select_sums sums;

	for (int i = 0; i < 10000 && !select_step(s, STEP); i++)
		;
	for (size_t row = 0; row < select_count(s) && row < ROWS_MAX; row++) {
		block_get(heap, select_at(s, row), &record);
		ask_stack(heap, record.stack);
		fuzz_rule(record.thread == HEAP_NONE || record.thread < thread_count(heap));
		fuzz_rule(record.site == HEAP_NONE || record.site < site_count(heap));
	}
	for (size_t row = 0; row < select_group_count(s) && row < ROWS_MAX; row++)
		select_group_at(s, row, &group);
	select_sums(s, &sums);
	heap_status(heap, &status);
	fuzz_rule(status.sample || sums.count == select_count(s));
	export_head(s, true, &text);
	export_records(s, 0, 10, true, &text);
	export_groups(s, 0, 10, true, &text);
	check_printable(&text);
	buffer_release(&text);
}

static void ask_selections(struct heap *heap)
{
	struct select_filter filter = SELECT_FILTER_INIT;
	struct selection *s = select_new(heap);

	select_groups(s, true);
	ask_rows(heap, s);
	select_sort(s, SELECT_BY_SIZE, true);
	select_sort_groups(s, SELECT_BY_RATE, false);
	filter.state = SELECT_LEAKS;
	filter.search = "main";
	select_filter(s, &filter);
	ask_rows(heap, s);
	filter = (struct select_filter){ .thread = thread_count(heap) ? 0 : HEAP_NONE, .site = HEAP_NONE, .state = SELECT_FREED, .min_age_ns = 1000,
					 .range = true, .range_to_ns = UINT64_MAX / 2 };
	select_filter(s, &filter);
	select_sort(s, SELECT_BY_THREAD, false);
	ask_rows(heap, s);
	select_free(s);
}

static void ask_threads(struct heap *heap)
{
	size_t count = thread_count(heap);
	uint32_t *order = calloc(count + 1, sizeof(*order));
	struct heap_thread thread;

	for (unsigned column = 0; order && column < THREAD_COLUMNS; column++)
		thread_sort(heap, (enum thread_column)column, column % 2, order);
	for (size_t i = 0; i < count && i < ROWS_MAX; i++)
		thread_get(heap, (uint32_t)i, &thread);
	free(order);
}

static void ask_sites(struct heap *heap)
{
	struct heap_site site;
	uint32_t top[20];

	for (unsigned cost = 0; cost < SITE_COSTS; cost++) {
		size_t count = site_top(heap, (enum site_cost)cost, HEAP_BLOCKS, cost % 2, top, 20);

		for (size_t i = 0; i < count; i++) {
			site_get(heap, top[i], &site);
			site_cost(&site, (enum site_cost)cost);
		}
	}
	if (site_count(heap)) {
		struct scan *scan = scan_of_free_sites(heap, 0);
		struct scan_free_site frees[4];

		while (!scan_step(scan, SIZE_MAX))
			;
		scan_free_sites(scan, frees, 4);
		scan_free(scan);
	}
}

static void ask_timelines(struct heap *heap)
{
	struct timeline_cell cells[CELLS];
	struct timeline *t = timeline_new(heap, thread_count(heap) ? 0 : HEAP_NONE, HEAP_NONE);
	struct timeline_rss rss;

	timeline_heap(heap, cells, CELLS);
	for (int i = 0; i < 10000 && !timeline_step(t, STEP); i++)
		;
	timeline_cells(t, cells, CELLS);
	timeline_free(t);
	timeline_rss_peak(heap, &rss);
	for (size_t i = 0; i < timeline_rss_count(heap) && i < ROWS_MAX; i++)
		timeline_rss_at(heap, i, &rss);
}

static void ask_lists(struct heap *heap)
{
	struct heap_module module;
	struct heap_totals totals;
	struct heap_relative relative;
	struct heap_exact exact;
	const char *value, *reason;
	uint32_t pid;

	for (size_t i = 0; i < heap_fact_count(heap); i++)
		heap_fact_at(heap, i, &value);
	for (size_t i = 0; i < heap_note_count(heap); i++)
		heap_note_at(heap, i);
	for (size_t i = 0; i < heap_child_count(heap); i++)
		fuzz_rule(heap_child_at(heap, i, &pid, &reason) && reason);
	for (size_t i = 0; i < heap_relative_count(heap) && i < ROWS_MAX; i++)
		heap_relative_at(heap, i, &relative);
	for (size_t i = 0; i < heap_module_count(heap); i++)
		heap_module_at(heap, i, &module);
	for (unsigned class = 0; class < HEAP_CLASSES; class++)
		heap_totals(heap, (enum heap_class)class, &totals);
	heap_exact(heap, HEAP_NONE, &exact);
	heap_exact_cell(heap, OP_MALLOC, 3, NULL);
}

static void ask_footprint(struct heap *heap, struct buffer *text)
{
	size_t rows[8], count = footprint_rows(heap, rows, 8);
	struct footprint f;

	fuzz_rule(count <= 8);
	for (size_t i = 0; i < count; i++) {
		fuzz_rule(rows[i] < footprint_count(heap));
		footprint_at(heap, rows[i], &f);
		fuzz_rule(footprint_fragmentation(&f) <= 1000);
	}
	if (footprint_peak(heap, &f))
		footprint_fragmentation(&f);
	footprint_report(heap, text);
	footprint_json(heap, text);
}

static void ask_findings(struct heap *heap)
{
	struct finding_sums sums;
	struct finding finding;
	uint64_t all = 0;

	finding_sums(heap, &sums);
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		all += sums.kinds[kind];
	fuzz_rule(all == sums.all && sums.inferred <= sums.all);
	for (size_t i = 0; i < finding_count(heap) && i < ROWS_MAX; i++) {
		finding_get(heap, i, &finding);
		fuzz_rule(finding.record == HEAP_NONE || finding.record < block_count(heap));
		fuzz_rule(finding.site == HEAP_NONE || finding.site < site_count(heap));
		ask_stack(heap, finding.free.stack);
		finding_op_label(finding.free.op);
	}
	for (uint32_t id = 0; id < block_count(heap) && id < ROWS_MAX; id++)
		finding_of_record(heap, id);
}

static void ask_one(struct heap *heap)
{
	struct check_options check = CHECK_OPTIONS_INIT;
	struct report_options wide = { 20, 30, 200 };
	struct buffer text = BUFFER_INIT;

	ask_lists(heap);
	ask_findings(heap);
	ask_footprint(heap, &text);
	ask_threads(heap);
	ask_sites(heap);
	ask_timelines(heap);
	ask_selections(heap);
	report_text(heap, NULL, &text);
	report_text(heap, &wide, &text);
	check.max_peak = 1000;
	check.suppressions = "# mine\nleak:main\nleak:*std::*\n";
	check_heap(heap, &check, &text);
	check_printable(&text);
	buffer_release(&text);
}

/* Of some of the processes in the stream. */
static void ask(struct heap *heap)
{
	size_t count = heap_session_count(heap);

	for (size_t i = 0; i < count && i < SESSIONS_MAX; i++)
		ask_one(heap_session_at(heap, i));
}

void fuzz_model(const uint8_t *data, size_t size, size_t piece, struct heap_status *status)
{
	struct heap_options options = { .keep_records = true, .follow = piece % 2 };
	struct heap *heap = heap_new(&options);
	size_t at = 0, step = piece ? piece : size;

	for (; at < size && heap_feed(heap, data + at, step < size - at ? step : size - at) == 0; at += step) {
		if (at < size / 2 && at + step >= size / 2 && piece % 4 == 3) {
			heap_settle(heap);
			ask(heap);
		}
	}
	heap_settle(heap);
	if (piece % 4 == 1)
		ask(heap);
	heap_end(heap);
	ask(heap);
	heap_status(heap, status);
	heap_free(heap);
}
