/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of findings: wrong frees, one row for each pair of places, both stacks in the detail. */
#include "model/findings.h"

#include <stdio.h>

#include "base/buffer.h"
#include "base/units.h"
#include "memview/view.h"
#include "model/export.h"

enum { KIND_COLUMNS = 15, COUNT_COLUMNS = 9, PAIR_COLUMNS = 26, SITE_COLUMNS_MIN = 16 };

/* "new[] / free" */
static void pair_text(const struct finding *f, char *out, size_t size)
{
	const char *alloc = f->alloc.known ? finding_op_label(f->alloc.op) : f->family ? f->family : "?";

	snprintf(out, size, "%s / %s", alloc, finding_op_label(f->free.op));
}

static void head(const struct view *view, struct pen *pen)
{
	(void)view;
	pen_field(pen, STYLE_TITLE, "Finding", KIND_COLUMNS, false);
	pen_field(pen, STYLE_TITLE, "Count", 1 + COUNT_COLUMNS, true);
	pen_space(pen, STYLE_TITLE, 1);
	if (pen_left(pen) >= PAIR_COLUMNS + 1 + SITE_COLUMNS_MIN) {
		pen_field(pen, STYLE_TITLE, "Made / freed by", PAIR_COLUMNS, false);
		pen_space(pen, STYLE_TITLE, 1);
	}
	pen_field(pen, STYLE_TITLE, "Freed in", pen_left(pen), false);
}

/* The first frame worth showing of the wrong free, else of the allocation. */
static void place_name(const struct view *view, const struct finding *f, struct buffer *out)
{
	uint32_t stack = f->free.stack != HEAP_NONE ? f->free.stack : f->alloc.stack;

	if (!stack_print_place(view->heap, stack, view->lines, out))
		buffer_printf(out, "0x%llx", (unsigned long long)f->ptr);
}

/* Made anew when findings or filters changed. */
static const struct finding_rows *rows_of(const struct view *view)
{
	struct finding_rows *rows = (struct finding_rows *)&view->finding_rows; /* a cache */
	size_t count = finding_count(view->heap);

	if (rows->made && rows->generation == heap_generation(view->heap) && rows->filter == view->filter_generation)
		return rows;
	rows->made = true;
	rows->generation = heap_generation(view->heap);
	rows->filter = view->filter_generation;
	vector_clear(&rows->findings);
	for (uint32_t i = 0; i < count; i++)
		if (select_finding(view->selection, i))
			vector_push(&rows->findings, i);
	return rows;
}

static void row(struct view *view, struct pen *pen, size_t at, unsigned extra)
{
	unsigned style = STYLE_LEAK | extra;
	uint32_t index = rows_of(view)->findings.items[at];
	struct buffer name = BUFFER_INIT;
	char text[64];
	struct finding f;

	finding_get(view->heap, index, &f);
	style = f.inferred ? STYLE_PLAIN | extra : style;
	pen_field(pen, style, finding_kind_label(f.kind), KIND_COLUMNS, false);
	pen_field(pen, style, format_count(text, sizeof(text), f.count), 1 + COUNT_COLUMNS, true);
	pen_space(pen, style, 1);
	if (pen_left(pen) >= PAIR_COLUMNS + 1 + SITE_COLUMNS_MIN) {
		pair_text(&f, text, sizeof(text));
		pen_field(pen, style, text, PAIR_COLUMNS, false);
		pen_space(pen, style, 1);
	}
	place_name(view, &f, &name);
	pen_field(pen, style, buffer_text(&name), pen_left(pen), false);
	buffer_release(&name);
}

static size_t count(const struct view *view)
{
	return rows_of(view)->findings.count;
}

static void keep(struct view *view, size_t at)
{
	view->finding = rows_of(view)->findings.items[at];
}

static bool is_set(const struct view *view)
{
	return view->finding != HEAP_NONE;
}

static bool holds(const struct view *view, size_t at)
{
	return view->finding == rows_of(view)->findings.items[at];
}

static size_t find(const struct view *view)
{
	const struct finding_rows *rows = rows_of(view);

	for (size_t at = 0; at < rows->findings.count; at++)
		if (rows->findings.items[at] == view->finding)
			return at;
	return SIZE_MAX;
}

static bool selected(const struct view *view, struct finding *f)
{
	if (view->finding >= finding_count(view->heap))
		return false;
	finding_get(view->heap, view->finding, f);
	return true;
}

static void act(const struct view *view, struct detail *detail, const char *title, unsigned style,
	const struct finding_act *act)
{
	char text[UNITS_TEXT_MAX];

	if (!act->known)
		return;
	detail_title(detail, style, title);
	detail_field(detail, STYLE_BOLD, "Op", "%s", finding_op_label(act->op));
	detail_field(detail, STYLE_PLAIN, "Thread", "%s", view_thread_name(view, act->thread, text, sizeof(text)));
	detail_field(detail, STYLE_PLAIN, "Time", "%s", format_duration(text, sizeof(text), act->ns));
	if (act->stack != HEAP_NONE)
		detail_stack(detail, view->heap, act->stack, view->lines);
	else
		detail_text(detail, STYLE_FAINT, "no stack was recorded");
}

static const char *what(const struct finding *f)
{
	switch (f->kind) {
	case FINDING_MISMATCH:
		return "The block was freed by a function of another family than made it.";
	case FINDING_DOUBLE:
		return "The block was free already.";
	default:
		return "No traced call returned this pointer: it is wild, or older than the trace.";
	}
}

void findings_detail(struct view *view, struct detail *detail, const struct finding *f)
{
	char text[UNITS_TEXT_MAX];

	detail_title(detail, STYLE_LEAK, finding_kind_label(f->kind));
	detail_text(detail, STYLE_PLAIN, what(f));
	if (f->fatal)
		detail_text(detail, STYLE_LEAK, "The program was aborted right there.");
	if (f->inferred)
		detail_text(detail, STYLE_FAINT, "Inferred from how the events match.");
	detail_field(detail, STYLE_BOLD, "Count", "%s", format_count(text, sizeof(text), f->count));
	detail_field(detail, STYLE_PLAIN, "Pointer", "0x%llx", (unsigned long long)f->ptr);
	if (f->alloc.known)
		detail_field(detail, STYLE_PLAIN, "Size", "%s", format_bytes(text, sizeof(text), f->size));
	act(view, detail, f->kind == FINDING_DOUBLE ? "Freed again" : "Freed", STYLE_LEAK, &f->free);
	act(view, detail, "Freed before", STYLE_TITLE, &f->earlier);
	act(view, detail, "Allocation", STYLE_TITLE, &f->alloc);
}

static void detail(struct view *view, struct detail *detail)
{
	struct finding f;

	if (selected(view, &f))
		findings_detail(view, detail, &f);
}

static void enter(struct view *view)
{
	struct finding f;

	if (!selected(view, &f))
		return;
	if (f.record == HEAP_NONE) {
		view_say(view, false, "its block is not in the trace");
		return;
	}
	view_set_kind(view, 0);
	view->record = f.record;
}

static bool time_of(const struct view *view, bool last, uint64_t *ns)
{
	struct finding f;

	(void)last;
	if (!selected(view, &f))
		return false;
	*ns = f.free.ns;
	return true;
}

static const char *const columns[] = { "Time", NULL };

const struct view_kind view_findings = {
	.name = "findings", .rows = "groups", .groups = false, .count = count, .head = head, .row = row, .keep = keep,
	.is_set = is_set, .holds = holds, .find = find, .detail = detail, .enter = enter, .time = time_of,
	.columns = columns, .export = export_findings,
};
