/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call tree as text. */
#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/units.h"
#include "model/calltree_state.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100.0 / (double)whole : 0;
}

static void put_row(struct calltree *t, const struct calltree_row *row, struct buffer *out)
{
	char cost[UNITS_TEXT_MAX];
	struct amounts a;

	calltree_amounts(t, row->node, &a);
	if (cost_is_bytes(t->cost))
		format_bytes(cost, sizeof(cost), cost_of(&a, t->cost));
	else
		format_count(cost, sizeof(cost), cost_of(&a, t->cost));
	buffer_printf(out, "%5.1f %% %12s  x%-10" PRIu64 " %12" PRIu64 " bytes  live %" PRIu64 "  leaked %" PRIu64
		      "  peak %" PRIu64 "  ", percent(tree_cost(t, row->node), tree_cost(t, CALLTREE_ROOT)), cost,
		      a.count, a.bytes, a.live_bytes, a.leaked_bytes, a.peak_bytes);
	buffer_append_repeat(out, ' ', 2 * (size_t)row->indent);
	buffer_append_char(out, row->only ? '`' : ' ');
	buffer_append_string(out, calltree_has_children(t, row->node) ?
			     calltree_is_open(t, row->node) ? "- " : "+ " : "  ");
	calltree_name(t, row->node, true, out);
	buffer_append_char(out, '\n');
}

void calltree_export(struct calltree *t, size_t first, size_t count, struct buffer *out)
{
	for (size_t at = first; at < t->rows.count && at - first < count; at++)
		put_row(t, &t->rows.items[at], out);
}

/* A semicolon ends a frame there, so it must not be part of one. */
static void put_frame(const struct calltree *t, uint32_t node, struct buffer *out)
{
	size_t start = out->length;

	calltree_name(t, node, false, out);
	for (size_t i = start; i < out->length; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
}

static void put_stack(struct calltree *t, uint32_t node, struct buffer *out)
{
	VECTOR(uint32_t) path = { 0 };

	for (; node != CALLTREE_ROOT; node = t->nodes.items[node].parent)
		vector_push(&path, node);
	while (path.count-- > 0) {
		put_frame(t, path.items[path.count], out);
		buffer_append_char(out, path.count ? ';' : ' ');
	}
	vector_release(&path);
}

void calltree_export_stacks(struct calltree *t, size_t first, size_t count, struct buffer *out)
{
	for (size_t node = first; node < t->nodes.count && node - first < count; node++) {
		struct amounts self;

		calltree_self(t, (uint32_t)node, &self);
		if (node == CALLTREE_ROOT || !cost_of(&self, t->cost))
			continue;
		put_stack(t, (uint32_t)node, out);
		buffer_printf(out, "%" PRIu64 "\n", cost_of(&self, t->cost));
	}
}
