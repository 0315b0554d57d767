/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The detail pane of a call tree's node: its sums, where it is, its call sites. */
#include <stdio.h>

#include "base/buffer.h"
#include "base/units.h"
#include "memview/trees.h"
#include "memview/view.h"

#define WAY_MAX	200	/* frames of the way to the thread's first */

/* off: how far count and bytes may be from the truth, NULL when that is not known. */
static void sum(const struct view *view, struct detail *detail, unsigned style, const char *label,
	const uint64_t figures[2], const uint64_t *off)
{
	char number[UNITS_TEXT_MAX + 1], size[UNITS_TEXT_MAX + 1], o[UNITS_TEXT_MAX], size_o[UNITS_TEXT_MAX];

	trees_amount(view, number, sizeof(number), COST_COUNT, figures[0]);
	trees_amount(view, size, sizeof(size), COST_ALLOCATED, figures[1]);
	if (off && (off[0] || off[1]))
		detail_field(detail, style, label, "%s +-%s (%s +-%s)", number, format_count(o, sizeof(o), off[0]), size,
			     format_bytes(size_o, sizeof(size_o), off[1]));
	else
		detail_field(detail, style, label, "%s (%s)", number, size);
}

#define SUM(view, detail, style, label, a, m, figure) \
	sum(view, detail, style, label, (uint64_t[]){ (a)->figure, (a)->figure##_bytes }, \
	    (uint64_t[]){ (m)->figure, (m)->figure##_bytes })

static void sums(const struct view *view, struct detail *detail, struct calltree *t, uint32_t node)
{
	struct amounts a, self;
	struct heap_margin m;
	char text[UNITS_TEXT_MAX + 1];

	calltree_amounts(t, node, &a);
	calltree_margin(t, node, &m);
	sum(view, detail, STYLE_BOLD, "Alloc'd", (uint64_t[]){ a.count, a.bytes },
	    (uint64_t[]){ m.allocs, m.alloc_bytes });
	SUM(view, detail, STYLE_PLAIN, "At peak", &a, &m, peak);
	SUM(view, detail, a.leaked ? STYLE_LEAK : STYLE_PLAIN, "Leaked", &a, &m, leaked);
	SUM(view, detail, STYLE_PLAIN, "Live", &a, &m, live);
	detail_field(detail, STYLE_PLAIN, "Temp.", "%s", format_count(text, sizeof(text), a.temporary));
	if (view->kind != VIEW_TREE && view->kind != VIEW_FLAME)
		return;
	calltree_self(t, node, &self);
	sum(view, detail, STYLE_PLAIN, "Itself", (uint64_t[]){ self.count, self.bytes }, NULL);
}

static void shares(const struct view *view, struct detail *detail, struct calltree *t, uint32_t node)
{
	uint64_t cost = calltree_cost_of(t, node), all = calltree_cost_of(t, CALLTREE_ROOT);
	uint64_t parent = calltree_cost_of(t, calltree_parent(t, node));
	char text[UNITS_TEXT_MAX + 1], of_all[16], of_parent[16];

	detail_field(detail, STYLE_BOLD, "Cost", "%s %s", trees_amount(view, text, sizeof(text), view->cost, cost),
		     cost_name(view->cost));
	detail_field(detail, STYLE_BOLD, "Share", "%s, %s of parent", trees_share(of_all, sizeof(of_all), cost, all),
		     trees_share(of_parent, sizeof(of_parent), cost, parent));
}

static void place(const struct view *view, struct detail *detail, const struct calltree *t, uint32_t node)
{
	const char *module = calltree_module(t, node);
	struct buffer name = BUFFER_INIT;
	struct stack_frame frame;
	bool mixed;

	calltree_name(t, node, false, &name);
	detail_text(detail, STYLE_BOLD, buffer_text(&name));
	buffer_release(&name);
	if (module)
		detail_field(detail, STYLE_PLAIN, "Module", "%s", module);
	if (!view->lines || !calltree_frame(t, node, &frame, &mixed) || !frame.file)
		return;
	if (frame.line) {
		detail_field(detail, STYLE_SOURCE, "Source", "%s:%u%s", frame.file, frame.line,
			     mixed ? " and other lines" : "");
	} else {
		detail_field(detail, STYLE_SOURCE, "Source", "%s", frame.file);
	}
	if (frame.inlined)
		detail_text(detail, STYLE_FAINT, "inlined into its caller");
}

/* The line from which the call goes on inwards, or that allocates. */
static void excerpt(const struct view *view, struct detail *detail, const struct calltree *t, uint32_t node)
{
	struct stack_frame frame;
	bool mixed;

	if (view->lines && calltree_frame(t, node, &frame, &mixed) && frame.file && frame.line)
		detail_source(detail, &frame);
}

static void site_line(const struct view *view, struct detail *detail, const struct calltree_site *site)
{
	struct heap_site s;
	struct buffer name = BUFFER_INIT;
	char text[UNITS_TEXT_MAX + 1];

	site_get(view->heap, site->site, &s);
	buffer_printf(&name, "%s  ", trees_amount(view, text, sizeof(text), view->cost, cost_of(&site->amounts, view->cost)));
	view_site_name(view, &s, &name);
	detail_text(detail, site->amounts.leaked ? STYLE_LEAK : STYLE_PLAIN, buffer_text(&name));
	buffer_release(&name);
}

static void sites(const struct view *view, struct detail *detail, const struct calltree *t, uint32_t node)
{
	const struct trees *trees = &view->trees;

	detail_title(detail, STYLE_TITLE, "Call sites");
	if (trees->sites_tree != t || trees->sites_of != node) {
		detail_text(detail, STYLE_FAINT, "...");
		return;
	}
	for (size_t i = 0; i < trees->site_count; i++)
		site_line(view, detail, &trees->sites[i]);
}

/* The nodes above it: its callers, or whom it called. */
static void way(const struct view *view, struct detail *detail, const struct calltree *t, uint32_t node)
{
	struct buffer name = BUFFER_INIT;

	if (calltree_depth(t, node) < 2)
		return;
	detail_title(detail, STYLE_TITLE, view->kind == VIEW_TREE || view->kind == VIEW_FLAME ? "Called by" : "On the way to");
	for (int i = 0; i < WAY_MAX && (node = calltree_parent(t, node)) != CALLTREE_ROOT; i++) {
		buffer_clear(&name);
		calltree_name(t, node, view->lines, &name);
		detail_text(detail, STYLE_PLAIN, buffer_text(&name));
	}
	buffer_release(&name);
}

void trees_detail(struct view *view, struct detail *detail)
{
	struct calltree *t = trees_current(view);
	uint32_t node = trees_node(view);

	if (node == CALLTREE_ROOT) {
		detail_title(detail, STYLE_TITLE, "All that is shown");
		sums(view, detail, t, node);
	} else {
		detail_title(detail, STYLE_TITLE, view->kind == VIEW_MODULES && calltree_depth(t, node) == 1 ?
			     "Module" : "Function");
		place(view, detail, t, node);
		shares(view, detail, t, node);
		sums(view, detail, t, node);
	}
	sites(view, detail, t, node);
	excerpt(view, detail, t, node);
	way(view, detail, t, node);
}
