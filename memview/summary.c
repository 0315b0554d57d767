/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of the summary: the text of --report, with what is shown of it on top. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "memview/now.h"
#include "memview/trees.h"
#include "memview/view.h"
#include "model/export.h"
#include "model/report.h"

#define AGAIN_MS	1000u	/* between two reports of a trace that grows */
#define SHARE		20u	/* a report that takes long is made so much more seldom */
#define STEP_SITES	5000u	/* between two looks at the clock */

static bool is_filtered(const struct view *view)
{
	const struct select_filter *f = &view->filter;

	return f->state != SELECT_ALL || f->thread != HEAP_NONE || f->min_age_ns || f->delta || f->range ||
	       view->search[0];
}

static void cut_lines(struct summary *summary)
{
	vector_clear(&summary->lines);
	for (size_t at = 0; at < summary->text.length;) {
		const char *line = summary->text.data + at, *end = strchrnul(line, '\n');

		vector_push(&summary->lines, at);
		at += (size_t)(end - line) + 1;
	}
}

/* What the text will be of. */
static void note_state(struct view *view)
{
	struct summary *summary = &view->summary;

	summary->columns = view->layout.pane[PANE_LIST].columns;
	summary->generation = heap_generation(view->heap);
	summary->filter = view->filter_generation;
	summary->selected = select_generation(view->selection);
}

static void begin(struct view *view)
{
	struct summary *summary = &view->summary;
	struct report_options options = REPORT_OPTIONS_INIT;

	note_state(view);
	buffer_clear(&summary->next);
	if (is_filtered(view)) {
		buffer_append_string(&summary->next, "Shown\n");
		export_head(view->selection, false, &summary->next);
	}
	options.width = summary->columns > 0 ? (unsigned)summary->columns : 80;
	options.session = view->session;
	summary->job = report_begin(view->root, &options, &summary->next);
	summary->working = 0;
}

static void give_up(struct summary *summary)
{
	report_free(summary->job);
	summary->job = NULL;
}

static void finish(struct view *view)
{
	struct summary *summary = &view->summary;
	struct buffer text = summary->text;

	give_up(summary);
	summary->text = summary->next;
	summary->next = text;
	cut_lines(summary);
	summary->made = now_ms();
	summary->took = summary->working;
	view->redraw = true;
}

/* What was asked for is not what is shown, or being made. */
static bool is_other(const struct view *view)
{
	const struct summary *summary = &view->summary;

	return summary->columns != view->layout.pane[PANE_LIST].columns || summary->filter != view->filter_generation;
}

uint64_t summary_due(const struct view *view)
{
	const struct summary *summary = &view->summary;
	uint64_t again = summary->made + AGAIN_MS + SHARE * summary->took;

	if (view->kind != VIEW_SUMMARY)
		return UINT64_MAX;
	if (!summary->made || summary->job || is_other(view))
		return 0;
	return summary->generation != heap_generation(view->heap) ||
	       (is_filtered(view) && summary->selected != select_generation(view->selection)) ? again : UINT64_MAX;
}

bool summary_step(struct view *view)
{
	struct summary *summary = &view->summary;
	uint64_t now = now_ms();
	bool done;

	if (now < summary_due(view))
		return true;
	if (!heap_catch_up(view->heap))
		return false;
	if (summary->job && is_other(view))
		give_up(summary);
	if (!summary->job)
		begin(view);
	done = report_step(summary->job, STEP_SITES);
	summary->working += now_ms() - now;
	if (done)
		finish(view);
	return done;
}

void summary_release(struct summary *summary)
{
	give_up(summary);
	buffer_release(&summary->text);
	buffer_release(&summary->next);
	vector_release(&summary->lines);
	summary->made = 0;
}

static void line_of(const struct summary *summary, size_t at, const char **line, size_t *length)
{
	*line = summary->text.data + summary->lines.items[at];
	*length = (size_t)(strchrnul(*line, '\n') - *line);
}

static size_t count(const struct view *view)
{
	return view->summary.lines.count;
}

static void head(const struct view *view, struct pen *pen)
{
	(void)view;
	pen_field(pen, STYLE_TITLE, "Summary (memview --report)", pen_left(pen), false);
}

/* Titles of sections begin in the first column. */
static void row(struct view *view, struct pen *pen, size_t at, unsigned extra)
{
	const char *line;
	size_t length;

	line_of(&view->summary, at, &line, &length);
	pen_bytes(pen, (length && line[0] != ' ' ? STYLE_TITLE : STYLE_PLAIN) | extra, line, length);
	pen_fill(pen, STYLE_PLAIN | extra);
}

static void detail(struct view *view, struct detail *detail)
{
	(void)view;
	detail_text(detail, STYLE_FAINT, "The summary is of the whole process, whatever is selected; what the filters "
		    "let through is told above it.");
}

static void enter(struct view *view)
{
	view_say(view, false, "v goes on to the records");
}

static void export_rows(struct view *view, size_t first, size_t n, struct buffer *out)
{
	for (size_t at = first; at < count(view) && at - first < n; at++) {
		const char *line;
		size_t length;

		line_of(&view->summary, at, &line, &length);
		buffer_append(out, line, length);
		buffer_append_char(out, '\n');
	}
}

static const char *const columns[] = { NULL };	/* it has no order */

const struct view_kind view_summary = {
	.name = "summary", .rows = "lines", .wide = true, .count = count, .head = head, .row = row, .detail = detail,
	.enter = enter, .columns = columns, .export_rows = export_rows,
};
