/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The views of call trees: top-down, bottom-up, and by module. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"
#include "memview/actions.h"
#include "memview/trees.h"
#include "memview/view.h"

enum { COST_COLUMNS = 11, SHARE_COLUMNS = 8, MARGIN_COLUMNS = 6, NAME_COLUMNS_MIN = 16, AMOUNT_COLUMNS = 11, EXTRAS = 4 };

/* Amounts behind cost and share, as far as there is room; the cost itself is there already. */
struct columns {
	struct { enum cost cost; bool self; } extra[EXTRAS];
	bool margin;		/* of the cost, in a sampled trace */
	int extras, name;
};

static void add_extra(struct columns *c, const struct view *view, enum cost cost, bool self)
{
	if (c->extras == EXTRAS || (!self && cost == view->cost) ||
	    c->name < AMOUNT_COLUMNS + NAME_COLUMNS_MIN + 8 * c->extras)
		return;
	c->extra[c->extras].cost = cost;
	c->extra[c->extras++].self = self;
	c->name -= AMOUNT_COLUMNS;
}

static struct columns columns_for(const struct view *view, int width)
{
	struct columns c = { .name = width - COST_COLUMNS - SHARE_COLUMNS - 1, .margin = trees_sampled(view) };

	if (c.margin)
		c.name -= MARGIN_COLUMNS;
	if (view->kind == VIEW_TREE)
		add_extra(&c, view, view->cost, true);
	if (view->kind == VIEW_MODULES) {
		add_extra(&c, view, COST_ALLOCATED, false);
		add_extra(&c, view, COST_LIVE, false);
	}
	add_extra(&c, view, COST_LEAKED, false);
	add_extra(&c, view, COST_COUNT, false);
	if (c.name < 0)
		c.name = 0;
	return c;
}

static const char *title(char *out, size_t size, enum cost cost)
{
	snprintf(out, size, "%s", cost_name(cost));
	out[0] = (char)(out[0] - 'a' + 'A');
	return out;
}

static void head(const struct view *view, struct pen *pen)
{
	struct columns c = columns_for(view, pen_left(pen));
	char text[32];

	pen_field(pen, STYLE_TITLE, title(text, sizeof(text), view->cost), COST_COLUMNS, true);
	if (c.margin)
		pen_field(pen, STYLE_TITLE, "95%", MARGIN_COLUMNS, true);
	pen_field(pen, STYLE_TITLE, "Share", SHARE_COLUMNS, true);
	for (int i = 0; i < c.extras; i++)
		pen_field(pen, STYLE_TITLE, c.extra[i].self ? "Itself" : title(text, sizeof(text), c.extra[i].cost),
			  AMOUNT_COLUMNS, true);
	pen_space(pen, STYLE_TITLE, 1);
	pen_field(pen, STYLE_TITLE, view->kind == VIEW_TREE ? "Function, and below whom it calls" :
		  view->kind == VIEW_CALLERS ? "Call site, and below its callers" :
		  "Module, and below its call sites", pen_left(pen), false);
}

static void extra_field(const struct view *view, struct pen *pen, unsigned style, const struct calltree *t,
	uint32_t node, enum cost cost, bool self)
{
	char text[UNITS_TEXT_MAX + 1];
	struct amounts a;
	uint64_t amount;

	if (self)
		calltree_self(t, node, &a);
	else
		calltree_amounts(t, node, &a);
	amount = cost_of(&a, cost);
	pen_field(pen, cost == COST_LEAKED && amount ? STYLE_LEAK | (style & ~(unsigned)STYLE_MASK) : style,
		  amount ? trees_amount(view, text, sizeof(text), cost, amount) : "-", AMOUNT_COLUMNS, true);
}

/* Deep ones keep half of the room for their name. */
static int indent_of(const struct calltree_row *row, int columns)
{
	int indent = (int)(row->indent < 1000 ? row->indent : 1000);

	return indent < columns / 2 ? indent : columns / 2;
}

static void name_field(struct view *view, struct pen *pen, unsigned style, const struct calltree *t,
	const struct calltree_row *row, int columns)
{
	struct buffer name = BUFFER_INIT;

	pen_space(pen, style, indent_of(row, columns));
	if (row->only)
		pen_glyph(pen, STYLE_FAINT | (style & ~(unsigned)STYLE_MASK), GLYPH_ONLY);
	else
		pen_space(pen, style, 1);
	if (calltree_has_children(t, row->node))
		pen_glyph(pen, STYLE_KEY | (style & ~(unsigned)STYLE_MASK),
			  calltree_is_open(t, row->node) ? GLYPH_UNFOLDED : GLYPH_FOLDED);
	else
		pen_space(pen, style, 1);
	pen_space(pen, style, 1);
	calltree_name(t, row->node, view->lines, &name);
	pen_field(pen, style, buffer_text(&name), pen_left(pen), false);
	buffer_release(&name);
}

static void row(struct view *view, struct pen *pen, size_t at, unsigned extra)
{
	struct columns c = columns_for(view, pen_left(pen));
	struct calltree *t = trees_current(view);
	uint64_t all = calltree_cost_of(t, CALLTREE_ROOT), cost;
	char text[UNITS_TEXT_MAX + 1], share[16];
	struct calltree_row r;
	unsigned style;

	calltree_row_at(t, at, &r);
	cost = calltree_cost_of(t, r.node);
	style = (cost * 2 >= all ? STYLE_BOLD : cost * 100 < all ? STYLE_FAINT : STYLE_PLAIN) | extra;
	pen_field(pen, style, trees_amount(view, text, sizeof(text), view->cost, cost), COST_COLUMNS, true);
	if (c.margin)
		pen_field(pen, style, trees_margin(view, share, sizeof(share), cost, calltree_margin_of(t, r.node)),
			  MARGIN_COLUMNS, true);
	pen_field(pen, style, trees_share(share, sizeof(share), cost, all), SHARE_COLUMNS, true);
	for (int i = 0; i < c.extras; i++)
		extra_field(view, pen, style, t, r.node, c.extra[i].cost, c.extra[i].self);
	pen_space(pen, style, 1);
	name_field(view, pen, style, t, &r, c.name);
}

static size_t count(const struct view *view)
{
	return calltree_row_count(trees_current(view));
}

static void keep(struct view *view, size_t at)
{
	struct calltree_row r;

	calltree_row_at(trees_current(view), at, &r);
	calltree_pin(trees_current(view), CALLTREE_CURSOR, r.node);
}

static bool is_set(const struct view *view)
{
	return calltree_pinned(trees_current(view), CALLTREE_CURSOR) != HEAP_NONE;
}

static bool holds(const struct view *view, size_t at)
{
	struct calltree_row r;

	calltree_row_at(trees_current(view), at, &r);
	return r.node == calltree_pinned(trees_current(view), CALLTREE_CURSOR);
}

static size_t find(const struct view *view)
{
	struct calltree *t = trees_current(view);

	return is_set(view) ? calltree_row_find(t, calltree_pinned(t, CALLTREE_CURSOR)) : SIZE_MAX;
}

/* What was folded away stands for what is in it. */
static size_t near(const struct view *view)
{
	struct calltree *t = trees_current(view);
	uint32_t node = trees_node(view);

	while (node != CALLTREE_ROOT && calltree_row_find(t, node) == SIZE_MAX)
		node = calltree_parent(t, node);
	return calltree_row_find(t, node);
}

/* A leaf has nothing to zoom into: its call site. */
static void enter(struct view *view)
{
	struct calltree *t = trees_current(view);
	uint32_t node = trees_node(view);

	if (node == CALLTREE_ROOT || node == calltree_zoomed(t))
		return;
	if (calltree_has_children(t, node))
		calltree_zoom(t, node);
	else
		trees_open_site(view, t, node);
}

static void zoom_out(struct view *view, struct calltree *t)
{
	uint32_t zoom = calltree_zoomed(t);

	if (zoom == CALLTREE_ROOT)
		view_say(view, false, "all is shown already");
	else
		calltree_zoom(t, calltree_parent(t, zoom));
}

static void fold(struct calltree *t, uint32_t node)
{
	if (calltree_is_open(t, node) && calltree_has_children(t, node)) {
		calltree_fold(t, node);
		return;
	}
	/* Folded already: its parent. */
	if (node != calltree_zoomed(t) && calltree_parent(t, node) != CALLTREE_ROOT) {
		calltree_fold(t, calltree_parent(t, node));
		calltree_pin(t, CALLTREE_CURSOR, calltree_parent(t, node));
	}
}

static bool key(struct view *view, int action, int code)
{
	struct calltree *t = trees_current(view);
	uint32_t node = trees_node(view);

	(void)code;
	view->redraw = true;
	switch (action) {
	case ACTION_ZOOM_OUT: zoom_out(view, t); return true;
	case ACTION_UNFOLD:
	case ACTION_FOLD_TOGGLE:
	case ACTION_FOLD:
	case ACTION_UNFOLD_ALL: break;
	default: return false;
	}
	if (node == CALLTREE_ROOT)
		return true;
	if (action == ACTION_UNFOLD || (action == ACTION_FOLD_TOGGLE && !calltree_is_open(t, node)))
		calltree_unfold(t, node);
	else if (action == ACTION_FOLD || action == ACTION_FOLD_TOGGLE)
		fold(t, node);
	else if (!calltree_unfold_all(t, node))
		view_say(view, false, "only the first %u are unfolded", CALLTREE_UNFOLDS);
	return true;
}

/* The mark in front of a name folds and unfolds. */
static bool click(struct view *view, int line, int column)
{
	int width = view->layout.pane[PANE_LIST].columns;
	struct columns c = columns_for(view, width);
	size_t at = view->list[view->kind].top + (size_t)(line > 0 ? line - 1 : 0);
	struct calltree_row r;

	if (line < 1 || at >= count(view))
		return false;
	calltree_row_at(trees_current(view), at, &r);
	if (column != width - c.name + indent_of(&r, c.name) + 1 || !calltree_has_children(trees_current(view), r.node))
		return false;
	view_select(view, PANE_LIST, (size_t)line - 1);
	return key(view, ACTION_FOLD_TOGGLE, 0);
}

static void export_rows(struct view *view, size_t first, size_t n, struct buffer *out)
{
	calltree_export(trees_current(view), first, n, out);
}

static const char *const columns[] = { "Cost", NULL };

#define TREE_KIND \
	.rows = "rows", .groups = true, .cost = true, .count = count, .head = head, .row = row, .keep = keep, \
	.is_set = is_set, .holds = holds, .find = find, .near = near, .detail = trees_detail, .enter = enter, \
	.time = trees_time, .columns = columns, .key = key, .click = click, .export_rows = export_rows

const struct view_kind view_tree = { .name = "call tree", TREE_KIND };
const struct view_kind view_callers = { .name = "callers", TREE_KIND };
const struct view_kind view_modules = { .name = "modules", TREE_KIND };
