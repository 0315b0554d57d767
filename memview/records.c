/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view of single records: a line each, and all about the selected one. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"
#include "memview/view.h"
#include "model/export.h"
#include "model/findings.h"

enum { STATE_COLUMNS = 3, POINTER_COLUMNS = 14, OP_COLUMNS = 8, TIME_COLUMNS = 9, SIZE_COLUMNS = 10,
       THREAD_COLUMNS_MIN = 8, THREAD_COLUMNS_MAX = 15, SITE_COLUMNS_MIN = 16 };

/* Which columns a list of some width has room for. */
struct columns {
	int pointer, op, time, thread, site;
};

static struct columns columns_for(int width)
{
	struct columns c = { .op = OP_COLUMNS, .time = TIME_COLUMNS };
	int left = width - (STATE_COLUMNS + 1 + OP_COLUMNS + 1 + TIME_COLUMNS + 1 + SIZE_COLUMNS);

	if (left < 0)
		c.time = 0;

	if (left >= 1 + THREAD_COLUMNS_MIN) {
		c.thread = left - 1 < THREAD_COLUMNS_MAX ? left - 1 : THREAD_COLUMNS_MAX;
		left -= 1 + c.thread;
	}
	if (left >= 1 + POINTER_COLUMNS) {
		c.pointer = POINTER_COLUMNS;
		left -= 1 + POINTER_COLUMNS;
	}
	if (left >= 6 + 1 + SITE_COLUMNS_MIN) {
		c.op += 6;	/* posix_memalign */
		left -= 6;
	}
	if (left >= 1 + SITE_COLUMNS_MIN)
		c.site = left - 1;
	return c;
}

static void head(const struct view *view, struct pen *pen)
{
	struct columns c = columns_for(pen_left(pen));

	(void)view;
	pen_field(pen, STYLE_TITLE, "St.", STATE_COLUMNS + 1, false);
	if (c.pointer)
		pen_field(pen, STYLE_TITLE, "Pointer", c.pointer + 1, false);
	pen_field(pen, STYLE_TITLE, "Op", c.op + 1, false);
	pen_field(pen, STYLE_TITLE, "Time", c.time, true);
	pen_field(pen, STYLE_TITLE, "Size", SIZE_COLUMNS + 1, true);
	if (c.thread) {
		pen_space(pen, STYLE_TITLE, 1);
		pen_field(pen, STYLE_TITLE, "Thread", c.thread, false);
	}
	if (c.site) {
		pen_space(pen, STYLE_TITLE, 1);
		pen_text(pen, STYLE_TITLE, "Call site");
	}
	pen_fill(pen, STYLE_TITLE);
}

/* Green, yellow and red by how long ago it was allocated, in parts of the session. */
static unsigned style_of(const struct view *view, const struct block_record *record)
{
	struct heap_status status;
	double session, age;

	if (record->runtime)
		return STYLE_FAINT;
	if (record->state == BLOCK_LEAKED)
		return STYLE_LEAK;
	if (record->state != BLOCK_ACTIVE)
		return STYLE_FREED;
	heap_status(view->heap, &status);
	session = (double)(status.now_ns - status.first_ns);
	age = status.now_ns > record->alloc_ns ? (double)(status.now_ns - record->alloc_ns) : 0;
	if (session <= 0 || age <= session * 0.30)
		return STYLE_YOUNG;
	return age <= session * 0.75 ? STYLE_MIDDLE : STYLE_OLD;
}

static void site_field(const struct view *view, struct pen *pen, unsigned style, uint32_t stack)
{
	struct buffer text = BUFFER_INIT;

	stack_print_place(view->heap, stack, view->lines, &text);
	pen_clip(pen, style, buffer_text(&text));
	buffer_release(&text);
}

static void row(struct view *view, struct pen *pen, size_t at, unsigned extra)
{
	struct columns c = columns_for(pen_left(pen));
	struct block_record r;
	char text[UNITS_TEXT_MAX];
	unsigned style;

	block_get(view->heap, select_at(view->selection, at), &r);
	style = style_of(view, &r) | extra;
	pen_field(pen, style, r.runtime ? BLOCK_RUNTIME_LABEL : block_state_label(r.state), STATE_COLUMNS + 1, false);
	if (c.pointer) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)r.ptr);
		pen_field(pen, style, text, c.pointer, false);
		pen_space(pen, style, 1);
	}
	pen_field(pen, style, heap_op_label(r.op), c.op, false);
	pen_space(pen, style, 1);
	pen_field(pen, style, format_duration(text, sizeof(text), r.alloc_ns), c.time, true);
	pen_field(pen, style, format_bytes(text, sizeof(text), r.size), SIZE_COLUMNS + 1, true);
	if (c.thread) {
		pen_space(pen, style, 1);
		pen_field(pen, style, view_thread_name(view, r.thread, text, sizeof(text)), c.thread, false);
	}
	if (c.site) {
		pen_space(pen, style, 1);
		site_field(view, pen, style, r.stack);
	}
	pen_fill(pen, style);
}

static size_t count(const struct view *view)
{
	return select_count(view->selection);
}

static void keep(struct view *view, size_t at)
{
	view->record = select_at(view->selection, at);
}

static bool is_set(const struct view *view)
{
	return view->record != HEAP_NONE;
}

static bool holds(const struct view *view, size_t at)
{
	return view->record == select_at(view->selection, at);
}

static size_t find(const struct view *view)
{
	if (view->record == HEAP_NONE)
		return SIZE_MAX;
	return select_find(view->selection, view->record);
}

static size_t near(const struct view *view)
{
	struct block_record r;
	size_t at;

	if (view->record >= block_count(view->heap))
		return SIZE_MAX;
	block_get(view->heap, view->record, &r);
	at = select_find_time(view->selection, r.alloc_ns);
	return at < select_count(view->selection) ? at : SIZE_MAX;
}

static void thread_field(const struct view *view, struct detail *detail, uint32_t thread)
{
	struct heap_thread t;
	char name[UNITS_TEXT_MAX];

	if (thread == HEAP_NONE) {
		detail_field(detail, STYLE_FAINT, "Thread", "unknown");
		return;
	}
	thread_get(view->heap, thread, &t);
	detail_field(detail, STYLE_PLAIN, "Thread", "%s (tid %u)",
		     view_thread_name(view, thread, name, sizeof(name)), t.tid);
}

static void detail_of_free(const struct view *view, struct detail *detail, const struct block_record *r)
{
	char text[UNITS_TEXT_MAX];

	format_duration(text, sizeof(text), r->age_ns);
	if (r->state == BLOCK_GONE) {
		detail_title(detail, STYLE_FREED, "Gone: the process executed another program");
		detail_field(detail, STYLE_PLAIN, "Lifetime", "%s", text);
		return;
	}
	if (r->runtime) {
		detail_title(detail, STYLE_FAINT, "Not freed: the runtime's own");
		detail_field(detail, STYLE_PLAIN, "Age", "%s", text);
		detail_text(detail, STYLE_FAINT, RUNTIME_WHY);
		return;
	}
	if (r->state != BLOCK_FREED) {
		detail_title(detail, r->state == BLOCK_LEAKED ? STYLE_LEAK : STYLE_YOUNG,
			     r->state == BLOCK_LEAKED ? "NOT FREED: leaked" : "NOT FREED");
		detail_field(detail, STYLE_PLAIN, "Age", "%s", text);
		return;
	}
	detail_title(detail, STYLE_TITLE, "Free");
	detail_field(detail, r->mismatched ? STYLE_LEAK : STYLE_PLAIN, "Op", "%s%s",
		     r->free_op ? heap_op_label(r->free_op) : "not seen",
		     r->mismatched ? ": the wrong function for it" : "");
	if (r->free_op)
		thread_field(view, detail, r->free_thread);
	detail_field(detail, STYLE_PLAIN, "Lifetime", "%s", text);
	detail_field(detail, STYLE_PLAIN, "Time", "%s", format_duration(text, sizeof(text), r->free_ns));
	if (r->free_stack == HEAP_NONE)
		detail_text(detail, STYLE_FAINT, "no stack: memtrack --free-stacks captures those of frees");
	else
		detail_stack(detail, view->heap, r->free_stack, view->lines);
}

/* What is wrong with its free, if anything. */
static void detail_of_finding(struct view *view, struct detail *detail, uint32_t id)
{
	size_t index = finding_of_record(view->heap, id);
	struct finding f;

	if (index == SIZE_MAX)
		return;
	finding_get(view->heap, index, &f);
	findings_detail(view, detail, &f);
	if (f.record != id)
		detail_text(detail, STYLE_FAINT, "(of another block from the same place)");
}

static void detail(struct view *view, struct detail *detail)
{
	struct block_record r;
	char text[UNITS_TEXT_MAX], exact[UNITS_TEXT_MAX];

	if (view->record == HEAP_NONE || view->record >= block_count(view->heap))
		return;
	block_get(view->heap, view->record, &r);
	detail_title(detail, STYLE_TITLE, r.piece ? "Allocation (a piece left by munmap)" : "Allocation");
	detail_field(detail, STYLE_BOLD, "Op", "%s", heap_op_label(r.op));
	detail_field(detail, STYLE_PLAIN, "Pointer", "0x%llx", (unsigned long long)r.ptr);
	format_bytes(text, sizeof(text), r.size);
	format_count(exact, sizeof(exact), r.size);
	if (r.size < 1024)
		detail_field(detail, STYLE_BOLD, "Size", "%s", text);
	else
		detail_field(detail, STYLE_BOLD, "Size", "%s (%s)", text, exact);
	thread_field(view, detail, r.thread);
	detail_field(detail, STYLE_PLAIN, "Time", "%s", format_duration(text, sizeof(text), r.alloc_ns));
	format_bytes(text, sizeof(text), view->thread_total);
	detail_field(detail, STYLE_PLAIN, "Total", "%s (thread)",
		     view->thread_total_of == r.id ? text : "...");
	detail_stack(detail, view->heap, r.stack, view->lines);
	detail_of_free(view, detail, &r);
	detail_of_finding(view, detail, r.id);
}

static void enter(struct view *view)
{
	struct block_record r;

	if (view->record == HEAP_NONE)
		return;
	block_get(view->heap, view->record, &r);
	view_set_kind(view, 1);
	view->site = r.site;
}

static bool time_of(const struct view *view, bool last, uint64_t *ns)
{
	struct block_record r;

	(void)last;
	if (view->record == HEAP_NONE)
		return false;
	block_get(view->heap, view->record, &r);
	*ns = r.alloc_ns;
	return true;
}

static const char *const columns[] = { "Time", "Size", "Thread", NULL };

const struct view_kind view_records = {
	.name = "records", .groups = false, .count = count, .head = head, .row = row, .keep = keep,
	.is_set = is_set, .holds = holds, .find = find, .near = near, .detail = detail, .enter = enter, .time = time_of, .columns = columns,
	.sort = select_sort, .export = export_records,
};
