/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flame graph: each function a box as wide as its share, below it those it calls.
 *
 * Boxes begin and end at the cell that is nearest to their place in the sums, so that children lie
 * inside of their parent and no width is off by a cell or more; what would be less than half a
 * cell is not there. */
#include <stdio.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/units.h"
#include "memview/actions.h"
#include "memview/draw.h"
#include "memview/mouse.h"
#include "memview/trees.h"

enum { COLOURS = STYLE_FLAME6 - STYLE_FLAME1 + 1 };

static uint32_t zoomed(struct calltree *t)
{
	uint32_t node = calltree_pinned(t, CALLTREE_FLAME_ZOOM);

	return node < calltree_count(t) ? node : CALLTREE_ROOT;
}

static uint32_t selected(struct calltree *t)
{
	uint32_t node = calltree_pinned(t, CALLTREE_FLAME);

	return node < calltree_count(t) ? node : zoomed(t);
}

static int cell(uint64_t at, uint64_t all, int columns)
{
	return (int)(((unsigned __int128)at * (unsigned)columns + all / 2) / all);
}

static void put_children(struct trees *trees, struct calltree *t, struct flame_box parent, uint64_t at, uint64_t all)
{
	uint32_t child = calltree_first_child(t, parent.node);

	for (; child != HEAP_NONE; child = calltree_next_sibling(t, child)) {
		uint64_t cost = calltree_cost_of(t, child);
		struct flame_box box = { child, parent.level + 1, cell(at, all, trees->flame_columns),
					 cell(at + cost, all, trees->flame_columns) };

		if ((unsigned __int128)cost * 2 * (unsigned)trees->flame_columns < all)
			return;
		box.to = box.to > parent.to ? parent.to : box.to;
		if (box.from < box.to) {
			vector_push(&trees->boxes, box);
			put_children(trees, t, box, at, all);
		}
		at += cost;
	}
}

/* All boxes there are, whether their level is on the screen or not. */
static void lay_out(struct view *view)
{
	struct calltree *t = trees_current(view);
	struct trees *trees = &view->trees;
	struct flame_box base = { zoomed(t), 0, 0, view->layout.pane[PANE_LIST].columns };
	uint64_t all = calltree_cost_of(t, base.node);

	vector_clear(&trees->boxes);
	trees->flame_columns = base.to;
	if (!all)
		return;
	vector_push(&trees->boxes, base);
	put_children(trees, t, base, 0, all);
}

static const struct flame_box *box_of(const struct trees *trees, uint32_t node)
{
	for (size_t i = 0; i < trees->boxes.count; i++)
		if (trees->boxes.items[i].node == node)
			return &trees->boxes.items[i];
	return NULL;
}

/* By module, or by what share of all it has. */
static unsigned colour(const struct view *view, struct calltree *t, uint32_t node)
{
	const char *module = calltree_module(t, node);
	uint64_t cost = calltree_cost_of(t, node), all = calltree_cost_of(t, zoomed(t));

	if (!view->trees.flame_by_cost)
		return module ? STYLE_FLAME1 + (unsigned)(hash_bytes(module, strlen(module)) % COLOURS) : STYLE_FLAME6;
	return cost * 2 >= all ? STYLE_FLAME1 : cost * 5 >= all ? STYLE_FLAME2 :
	       cost * 20 >= all ? STYLE_FLAME3 : STYLE_FLAME4;
}

static void draw_box(struct view *view, struct calltree *t, const struct flame_box *box, int row)
{
	const struct area *area = &view->layout.pane[PANE_LIST];
	struct pen pen = pen_at(view->term, row, area->column + box->from, box->to - box->from);
	bool here = box->node == selected(t);
	unsigned style = here ? STYLE_BOLD | (view->focus == PANE_LIST ? STYLE_SHADED : 0) : colour(view, t, box->node);
	struct buffer name = BUFFER_INIT;

	pen_glyph(&pen, style, here ? GLYPH_DELTA : GLYPH_DOWN);
	if (pen_left(&pen) > 1) {
		calltree_name(t, box->node, false, &name);
		pen_clip(&pen, style, buffer_text(&name));
	}
	buffer_release(&name);
	pen_repeat(&pen, style, GLYPH_FILL, pen_left(&pen));
}

/* The line at the bottom tells all of the selected box, for boxes are narrow. */
static void draw_foot(struct view *view, struct calltree *t, int row)
{
	const struct area *area = &view->layout.pane[PANE_LIST];
	struct pen pen = pen_at(view->term, row, area->column, area->columns);
	uint64_t cost = calltree_cost_of(t, selected(t));
	char text[UNITS_TEXT_MAX + 1], share[16];
	struct buffer name = BUFFER_INIT;

	calltree_name(t, selected(t), view->lines, &name);
	pen_printf(&pen, STYLE_BOLD, "%s %s  ", trees_amount(view, text, sizeof(text), view->cost, cost),
		   trees_share(share, sizeof(share), cost, calltree_cost_of(t, CALLTREE_ROOT)));
	pen_clip(&pen, STYLE_BOLD, buffer_text(&name));
	buffer_release(&name);
}

static void draw_head(struct view *view, struct calltree *t)
{
	const struct area *area = &view->layout.pane[PANE_LIST];
	struct pen pen = pen_at(view->term, area->row, area->column, area->columns);
	uint64_t cost = calltree_cost_of(t, zoomed(t));
	char text[UNITS_TEXT_MAX + 1], share[16];

	pen_printf(&pen, STYLE_TITLE, "%s %s", trees_amount(view, text, sizeof(text), view->cost, cost),
		   cost_name(view->cost));
	if (zoomed(t) != CALLTREE_ROOT)
		pen_printf(&pen, STYLE_TITLE, ", zoomed to %s", trees_share(share, sizeof(share), cost,
									     calltree_cost_of(t, CALLTREE_ROOT)));
	pen_printf(&pen, STYLE_FAINT, "  coloured by %s (C)", view->trees.flame_by_cost ? "cost" : "module");
}

static void draw(struct view *view)
{
	const struct area *area = &view->layout.pane[PANE_LIST];
	struct calltree *t = trees_current(view);
	struct trees *trees = &view->trees;
	unsigned levels = (unsigned)area->rows - 2;
	const struct flame_box *here;

	lay_out(view);
	draw_head(view, t);
	here = box_of(trees, selected(t));
	if (here && here->level < trees->flame_top)
		trees->flame_top = here->level;
	if (here && here->level >= trees->flame_top + levels)
		trees->flame_top = here->level - levels + 1;
	for (size_t i = 0; i < trees->boxes.count; i++) {
		const struct flame_box *box = &trees->boxes.items[i];

		if (box->level >= trees->flame_top && box->level < trees->flame_top + levels)
			draw_box(view, t, box, area->row + 1 + (int)(box->level - trees->flame_top));
	}
	draw_foot(view, t, area->row + area->rows - 1);
}

static size_t count(const struct view *view)
{
	return calltree_cost_of(trees_current(view), CALLTREE_ROOT) != 0;
}

static void select_box(struct view *view, const struct flame_box *box)
{
	if (box)
		calltree_pin(trees_current(view), CALLTREE_FLAME, box->node);
}

/* The box beside on the same level. */
static const struct flame_box *beside(const struct trees *trees, const struct flame_box *here, bool right)
{
	const struct flame_box *best = NULL;

	for (size_t i = 0; i < trees->boxes.count; i++) {
		const struct flame_box *box = &trees->boxes.items[i];

		if (box->level != here->level || (right ? box->from < here->to : box->to > here->from))
			continue;
		if (!best || (right ? box->from < best->from : box->from > best->from))
			best = box;
	}
	return best;
}

/* Of those below the widest, which is the first; of those above the parent. */
static const struct flame_box *step(const struct trees *trees, struct calltree *t, const struct flame_box *here,
	int action)
{
	if (action == ACTION_UP)
		return here->level ? box_of(trees, calltree_parent(t, here->node)) : here;
	for (size_t i = 0; i < trees->boxes.count; i++)
		if (trees->boxes.items[i].level == here->level + 1 &&
		    calltree_parent(t, trees->boxes.items[i].node) == here->node)
			return &trees->boxes.items[i];
	return here;
}

static void move(struct view *view, int action)
{
	struct calltree *t = trees_current(view);
	const struct flame_box *here = box_of(&view->trees, selected(t)), *next;
	int steps = action == ACTION_UP || action == ACTION_DOWN ? 1 :
		    action == ACTION_FIRST || action == ACTION_LAST ? 1 << 20 : view->layout.pane[PANE_LIST].rows - 3;

	if (!here)
		here = box_of(&view->trees, zoomed(t));
	if (action == ACTION_FOCUS_NEXT || action == ACTION_FOCUS_PREV) {
		select_box(view, here ? beside(&view->trees, here, action == ACTION_FOCUS_NEXT) : NULL);
		return;
	}
	action = action == ACTION_UP || action == ACTION_PAGE_UP || action == ACTION_FIRST ? ACTION_UP : ACTION_DOWN;
	for (; here && steps > 0; steps--, here = next) {
		next = step(&view->trees, t, here, action);
		if (next == here)
			break;
	}
	select_box(view, here);
}

static void zoom(struct view *view, uint32_t node)
{
	calltree_pin(trees_current(view), CALLTREE_FLAME_ZOOM, node);
	view->trees.flame_top = 0;
}

static void enter(struct view *view)
{
	struct calltree *t = trees_current(view);

	if (selected(t) == zoomed(t) || !calltree_has_children(t, selected(t)))
		trees_open_site(view, t, selected(t));
	else
		zoom(view, selected(t));
}

static bool key(struct view *view, int action, int code)
{
	struct calltree *t = trees_current(view);

	view->redraw = true;
	lay_out(view);
	switch (action) {
	case ACTION_ZOOM_OUT:
	case ACTION_FOLD:
		if (zoomed(t) == CALLTREE_ROOT)
			view_say(view, false, "all is shown already");
		zoom(view, calltree_parent(t, zoomed(t)));
		return true;
	case ACTION_UNFOLD: enter(view); return true;
	case ACTION_COLOURS: view->trees.flame_by_cost = !view->trees.flame_by_cost; return true;
	case ACTION_FOCUS_NEXT:
	case ACTION_FOCUS_PREV:
		if (code == KEYS_TAB || code == KEYS_BACK_TAB)
			return false;
		break;
	case ACTION_UP:
	case ACTION_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_FIRST:
	case ACTION_LAST: break;
	default: return false;
	}
	move(view, action);
	return true;
}

/* Line 0 is the heading, the levels are below. */
static bool click(struct view *view, int line, int column)
{
	lay_out(view);
	for (size_t i = 0; i < view->trees.boxes.count; i++) {
		const struct flame_box *box = &view->trees.boxes.items[i];

		if (line < 1 || line >= view->layout.pane[PANE_LIST].rows - 1 ||
		    box->level != view->trees.flame_top + (unsigned)line - 1 || column < box->from || column >= box->to)
			continue;
		if (mouse_is_second(view, PANE_LIST, box->node))
			enter(view);
		else
			select_box(view, box);
		break;
	}
	return true;
}

static void wheel(struct view *view, int by)
{
	lay_out(view);
	move(view, by < 0 ? ACTION_UP : ACTION_DOWN);
}

static void export_rows(struct view *view, size_t first, size_t n, struct buffer *out)
{
	calltree_export_stacks(trees_current(view), first, n, out);
}

static size_t export_count(const struct view *view)
{
	return calltree_count(trees_current(view));
}

static const char *const columns[] = { "Cost", NULL };

const struct view_kind view_flame = {
	.name = "flame graph", .rows = "functions", .groups = true, .cost = true, .wide = true, .one_row = true,
	.count = count, .detail = trees_detail, .enter = enter, .columns = columns, .key = key, .draw = draw,
	.click = click, .wheel = wheel, .time = trees_time,
	.export_count = export_count, .export_rows = export_rows,
};
