/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two text rows of the header: pieces with labels, which go first when room is short. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "memview/draw.h"
#include "memview/cancel.h"
#include "memview/now.h"
#include "model/findings.h"
#include "model/footprint.h"
#include "model/marks.h"

#define PIECES_MAX 12
#define BAR_CELLS 10
#define WIDE 120	/* columns: amounts beside, words instead of marks */

struct piece {
	const char *label;	/* faint, left out in a narrow terminal; "" for none */
	int glyph;		/* -1 for none */
	bool glyph_behind;	/* the text, not in front */
	bool bare;		/* the label gave way */
	bool idle;		/* says nothing: the first to go, when it is the last of its row */
	unsigned style;
	int most;		/* columns; 0: as it comes */
	char *text;
};

struct row {
	struct piece pieces[PIECES_MAX];
	int count;
};

static struct piece *add(struct row *row, unsigned style, const char *label, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static struct piece *add(struct row *row, unsigned style, const char *label, const char *format, ...)
{
	struct piece *piece = &row->pieces[row->count < PIECES_MAX ? row->count++ : PIECES_MAX - 1];
	va_list args;

	va_start(args, format);
	free(piece->text);
	*piece = (struct piece){ .label = label, .glyph = -1, .style = style,
				  .text = xvasprintf(format, args) };
	va_end(args);
	return piece;
}

static int piece_width(const struct piece *piece, const struct term *term)
{
	int text = pen_width(term, piece->text);

	if (piece->most && text > piece->most)
		text = piece->most;
	if (piece->label[0] && !piece->bare)
		text += (int)strlen(piece->label) + 1;
	return text + (piece->glyph >= 0 ? 2 : 0);
}

/* What says nothing gives way, then labels from the end of the row on, as far as room is short. */
static void drop_labels(struct row *row, const struct term *term, int columns)
{
	int width = 1, last = row->count - 1;

	for (int i = 0; i < row->count; i++)
		width += (i ? 3 : 0) + piece_width(&row->pieces[i], term);
	if (width > columns && last > 0 && row->pieces[last].idle) {
		width -= 3 + piece_width(&row->pieces[last], term);
		free(row->pieces[last--].text);
		row->count--;
	}
	for (int i = last; i >= 0 && width > columns; i--) {
		struct piece *piece = &row->pieces[i];

		if (!piece->label[0] || strcmp(piece->label, "Leaks:") == 0)
			continue;
		piece->bare = true;
		width -= (int)strlen(piece->label) + 1;
	}
}

static void draw_piece_glyph(const struct piece *piece, struct pen *pen)
{
	if (piece->glyph < 0)
		return;
	if (piece->glyph_behind)
		pen_space(pen, piece->style, 1);
	pen_glyph(pen, piece->style, (enum pen_glyph)piece->glyph);
	if (!piece->glyph_behind && piece->glyph != GLYPH_AT_LEAST)
		pen_space(pen, piece->style, 1);
}

static void draw_piece(const struct piece *piece, struct pen *pen)
{
	if (!piece->bare && piece->label[0])
		pen_printf(pen, STYLE_FAINT, piece->glyph == GLYPH_AT_LEAST ? "%s" : "%s ", piece->label);
	if (!piece->glyph_behind)
		draw_piece_glyph(piece, pen);
	if (piece->most && pen_width(pen->term, piece->text) > piece->most)
		pen_field(pen, piece->style, piece->text, piece->most, false);
	else
		pen_clip(pen, piece->style, piece->text);
	if (piece->glyph_behind)
		draw_piece_glyph(piece, pen);
}

static void draw_row(struct row *row, struct pen *pen)
{
	drop_labels(row, pen->term, pen_left(pen));
	pen_space(pen, STYLE_PLAIN, 1);
	for (int i = 0; i < row->count; i++) {
		if (i && pen_left(pen) >= 5) {
			pen_space(pen, STYLE_RULE, 1);
			pen_glyph(pen, STYLE_RULE, GLYPH_DOWN);
			pen_space(pen, STYLE_RULE, 1);
		} else if (i) {
			pen->end = pen->column;
		}
		draw_piece(&row->pieces[i], pen);
		free(row->pieces[i].text);
	}
}

static void add_state(struct row *row, const struct view *view)
{
	static const struct {
		const char *word;
		unsigned style;
		int glyph;
	} states[] = {
		[LINK_WAITING] = { "WAIT", STYLE_BASE, GLYPH_DONE },
		[LINK_LIVE] = { "LIVE", STYLE_YOUNG, GLYPH_LIVE },
		[LINK_LOADING] = { "LOADING", STYLE_BOLD, -1 },
		[LINK_DONE] = { "DONE", STYLE_BOLD, GLYPH_DONE },
		[LINK_CUT] = { "NO END", STYLE_ALERT, GLYPH_DONE },
		[LINK_LOST] = { "LOST", STYLE_ALERT, GLYPH_DONE },
		[LINK_REPLACED] = { "REPLACED", STYLE_BASE, GLYPH_DONE },
	};
	enum link state = connection_state(view);

	if (state == LINK_LIVE && heap_paused(view->heap)) {
		add(row, STYLE_MARKER, "", "PAUSED")->glyph = GLYPH_PAUSED;
		return;
	}
	add(row, states[state].style, "", "%s", states[state].word)->glyph = states[state].glyph;
}

/* The newest one of the trace before the selected record. */
static void add_marker(struct row *row, const struct view *view)
{
	const char *name = NULL;
	struct block_record record;
	uint64_t ns;

	if (view->kind != VIEW_RECORDS || view->record == HEAP_NONE || !heap_marker_count(view->heap))
		return;
	block_get(view->heap, view->record, &record);
	for (size_t i = 0; i < heap_marker_count(view->heap); i++) {
		const char *next = heap_marker_at(view->heap, i, &ns);

		name = ns <= record.alloc_ns ? next : name;
	}
	if (name)
		add(row, STYLE_MARKER, "", "after %s", *name ? name : "a marker")->most = 24;
}

static void add_marks(struct row *row, const struct view *view)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	if (view->filter.delta) {
		format_duration(a, sizeof(a), view->filter.delta_ns);
		add(row, STYLE_BASE, "", "DELTA since %s", a)->glyph = GLYPH_DELTA;
	}
	format_duration(a, sizeof(a), view->filter.range_from_ns);
	format_duration(b, sizeof(b), view->filter.range_to_ns);
	if ((view->filter.range || view->filter.delta) && view->before_filter == view->filter_generation &&
	    view->before.count) {
		char count[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

		add(row, STYLE_MARKER, "", "freed in it, older: %s (%s)",
		    format_count(count, sizeof(count), view->before.count),
		    format_bytes(bytes, sizeof(bytes), view->before.bytes));
	}
	if (view->filter.range)
		add(row, STYLE_MARKER, "", "RANGE %s to %s", a, b)->glyph = GLYPH_RANGE;
	else if (view->range_from)
		add(row, STYLE_MARKER, "", "[ %s", a);
	else if (view->range_to)
		add(row, STYLE_MARKER, "", "] %s", b);
}

/* The name as given, or without its folders when that is long. */
static const char *short_name(const struct view *view)
{
	const char *slash = strrchr(view->name, '/');

	if (pen_width(view->term, view->name) <= view->layout.columns / 4 || !slash || !slash[1])
		return view->name;
	return slash + 1;
}

/* Only of a trace with several. */
static void add_process(struct row *row, const struct view *view)
{
	size_t count = heap_session_count(view->root);
	const char *pid = heap_fact(view->heap, "pid");

	if (count > 1)
		add(row, STYLE_KEY, "", "process %zu/%zu [p] %s", view->session + 1, count, pid ? pid : "");
}

static void add_findings(struct row *row, const struct view *view)
{
	struct finding_sums sums;
	char text[UNITS_TEXT_MAX];

	finding_sums(view->heap, &sums);
	if (sums.all)
		add(row, STYLE_ALERT, "", "%s finding%s", format_count(text, sizeof(text), sums.all),
		    sums.all == 1 ? "" : "s");
}

/* The trace began in the midst: what was freed and is not in it. */
static void add_attached(struct row *row, const struct heap_status *status)
{
	char text[UNITS_TEXT_MAX];

	if (!status->attached)
		return;
	add(row, STYLE_MARKER, "", "ATTACHED");
	if (status->older_frees)
		add(row, STYLE_BASE, "", "%s older freed", format_count(text, sizeof(text), status->older_frees));
}

static void add_rows(struct row *row, const struct view *view)
{
	const struct view_kind *kind = view_kind(view);
	const char *what;
	char text[UNITS_TEXT_MAX];

	if (kind->one_row) {
		add(row, STYLE_PLAIN, "", "%s", kind->name);
		return;
	}
	format_count(text, sizeof(text), kind->count(view));
	what = kind->rows ? kind->rows : kind->groups ? "groups" : "shown";
	add(row, STYLE_PLAIN, "", "%s %.*s", text,
	    (int)strlen(what) - ((kind->rows || kind->groups) && kind->count(view) == 1), what);
}

/* Of the heap.  Blocks and mappings are never one sum: "+2 mmap" says how many of those are beside. */
struct whole {
	struct heap_totals blocks, pages;
};

static void first_row(const struct view *view, const struct whole *whole, struct row *row)
{
	struct heap_status status;
	struct heap_exact exact;
	char text[UNITS_TEXT_MAX], maps[UNITS_TEXT_MAX];
	bool about = false;
	uint64_t allocs = whole->blocks.allocs;

	heap_status(view->heap, &status);
	add_state(row, view);
	add(row, STYLE_BOLD, "", "%s", short_name(view))->most = view->layout.columns / 4;
	if (status.sample && heap_exact(view->heap, HEAP_NONE, &exact))
		allocs = exact.allocs;
	else
		about = status.sample != 0;
	format_count(text, sizeof(text), allocs);
	format_count(maps, sizeof(maps), whole->pages.allocs);
	add(row, STYLE_PLAIN, "", whole->pages.allocs ? "%s%s alloc%s +%s mmap" : "%s%s alloc%s", about ? "~" : "", text,
	    allocs == 1 ? "" : "s", maps);
	if (status.sample)
		add(row, STYLE_MARKER, "", "SAMPLE of %s", format_bytes(text, sizeof(text), status.sample));
	add_attached(row, &status);
	add_rows(row, view);
	add_process(row, view);
	add_findings(row, view);
	if (status.end == HEAP_KILLED)
		add(row, STYLE_ALERT, "", "killed by signal %u", status.end_value);
	else if (status.end == HEAP_EXITED && status.end_value)
		add(row, STYLE_BASE, "", "exit status %u", status.end_value);
	add_marks(row, view);
	add_marker(row, view);
	if (status.damaged)
		add(row, STYLE_ALERT, "", "DAMAGED");
	else if (status.lost)
		add(row, STYLE_ALERT, "", "EVENTS LOST");
	else if (footprint_hides(view->heap))
		add(row, STYLE_ALERT, "", "OWN ALLOCATOR");
}

static void add_sort(struct row *row, const struct view *view)
{
	const struct view_order *order = &view->order[view->kind];
	struct piece *piece;
	bool ascending = (view->kind == 0 && order->column != SELECT_BY_SIZE) || view->kind == VIEW_FINDINGS;
	bool cost = view_kind(view)->cost || (view->kind == VIEW_SITES && order->column == SELECT_BY_TOTAL &&
					      view->cost != COST_ALLOCATED);
	bool adds_up = view_kind(view)->cost; /* functions have the sums of all below them, mappings too */
	struct select_sums sums;
	const char *name;

	if (view->focus == PANE_THREADS) {
		order = &view->thread_order;
		ascending = order->column <= THREAD_BY_TID;
		cost = adds_up = false;
	}
	name = cost ? cost_name(view->cost) : view_columns(view)[order->column];
	if (!name)
		return;
	select_sums(view->selection, &sums);
	piece = add(row, STYLE_PLAIN, cost ? "Cost:" : "Sort:", "%s%s", name,
		    adds_up && sums.maps ? " +mmap" : "");
	piece->glyph = ascending != order->reverse ? GLYPH_ASCENDING : GLYPH_DESCENDING;
	piece->glyph_behind = true;
}

static void add_leaks(struct row *row, const struct view *view, const struct heap_totals *blocks,
	const struct heap_totals *pages)
{
	char count[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX], mapped[2 * UNITS_TEXT_MAX + 16] = "";

	format_count(count, sizeof(count), pages->leaked);
	format_bytes(bytes, sizeof(bytes), pages->leaked_bytes);
	if (pages->leaked)
		snprintf(mapped, sizeof(mapped), view->layout.columns < WIDE ? " +%s mmap" : " +%s mmap (%s)", count, bytes);
	format_count(count, sizeof(count), blocks->leaked);
	format_bytes(bytes, sizeof(bytes), blocks->leaked_bytes);
	add(row, blocks->leaked + pages->leaked ? STYLE_LEAK : STYLE_PLAIN, "Leaks:",
	    blocks->margin.leaked ? "~%s (~%s)%s" : "%s (%s)%s", count, bytes, mapped);
}

/* Threads of one name are told apart by their tid, where there is room. */
static void add_thread(struct row *row, const struct view *view)
{
	uint32_t thread = view->filter.thread;
	char text[UNITS_TEXT_MAX];
	struct heap_thread t;

	if (thread == HEAP_NONE) {
		add(row, STYLE_PLAIN, "Thread:", "all");
		return;
	}
	thread_get(view->heap, thread, &t);
	if (view->layout.columns < 80 || !t.name[0])
		add(row, STYLE_KEY, "Thread:", "%s", view_thread_name(view, thread, text, sizeof(text)))->most = 16;
	else
		add(row, STYLE_KEY, "Thread:", "%.16s (%u)", t.name, t.tid);
}

static void second_row(const struct view *view, const struct whole *whole, struct row *row)
{
	static const char *const states[] = { "All", "Leaks", "Active", "Freed" };
	const struct heap_totals *blocks = &whole->blocks, *pages = &whole->pages;
	char text[UNITS_TEXT_MAX];
	bool live = view_is_live(view);

	add(row, view->filter.state ? STYLE_KEY : STYLE_PLAIN, "Filter:", "%s", states[view->filter.state]);
	add_thread(row, view);
	if (view->age > 0) {
		struct piece *piece = add(row, STYLE_KEY, "", "%gs", view->age);

		piece->label = "Age";
		piece->glyph = GLYPH_AT_LEAST;
	}
	if (view->search[0])
		add(row, STYLE_KEY, "Search:", "/%s", view->search)->most = 24;
	add_sort(row, view);
	add_leaks(row, view, blocks, pages);
	/* What the C and C++ runtime keep for themselves is no leak; a narrow row has the list's mark. */
	if (blocks->runtime)
		add(row, STYLE_FAINT, "", view->layout.columns >= WIDE ? "+%s of the runtime" : "+%s [R]",
		    format_count(text, sizeof(text), blocks->runtime));
	if (live)
		add(row, STYLE_PLAIN, "Follow:", "%s [F]", view->follow ? "ON" : "off");
	else
		add(row, STYLE_FAINT, "Follow:", "-")->idle = true;
}

/* Only work that takes longer than people notice. */
static void draw_progress(const struct view *view, int row)
{
	uint64_t size = input_size(view->input), at = input_position(view->input);
	unsigned permille;
	const char *what = cancel_what(view, &permille);
	struct pen pen;

	if (what) {
		;
	} else if (view->loading && size && !view->follow) {
		if (now_ms() < view->loading_since + 300)
			return;
		permille = at < size ? (unsigned)(at * 1000 / size) : 999;
		what = "loading";
	} else {
		return;
	}
	pen = pen_at(view->term, row, view->layout.columns - BAR_CELLS - 17, BAR_CELLS + 17);
	pen_printf(&pen, STYLE_BASE, " %s ", what);
	pen_repeat(&pen, STYLE_BASE, GLYPH_BLOCK, (int)(permille * BAR_CELLS / 1000));
	pen_repeat(&pen, STYLE_RULE, GLYPH_ACROSS, BAR_CELLS - (int)(permille * BAR_CELLS / 1000));
	pen_printf(&pen, STYLE_BASE, " %2u%%", permille / 10);
	pen_fill(&pen, STYLE_PLAIN);
}

void draw_header(const struct view *view)
{
	struct row first = { .count = 0 }, second = { .count = 0 };
	struct pen pen = pen_at(view->term, 0, 0, view->layout.columns);
	struct whole whole;

	heap_totals(view->heap, HEAP_BLOCKS, &whole.blocks);
	heap_totals(view->heap, HEAP_PAGES, &whole.pages);
	first_row(view, &whole, &first);
	draw_row(&first, &pen);
	draw_progress(view, 0);
	pen = pen_at(view->term, 1, 0, view->layout.columns);
	second_row(view, &whole, &second);
	draw_row(&second, &pen);
}
