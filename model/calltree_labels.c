/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the nodes of a call tree are called, and the text of its rows. */

#include "base/hash.h"
#include "base/text.h"
#include "model/calltree_state.h"

static bool same(const struct label *a, const struct label *b)
{
	return a->kind == b->kind && a->module == b->module && a->function == b->function &&
	       a->address == b->address;
}

uint32_t tree_label(struct calltree *t, const struct label *label)
{
	uint64_t key = hash_pair(hash_pair((uintptr_t)label->module, (uintptr_t)label->function),
				 hash_pair(label->address, label->kind));
	bool created;
	uint64_t *index;

	/* Two that share a hash are neighbours. */
	while (index = map_place(&t->label_index, key, &created),
	       !created && !same(&t->labels.items[*index], label))
		key++;
	if (created) {
		*index = t->labels.count;
		vector_push(&t->labels, *label);
	}
	return (uint32_t)*index;
}

const struct place_labels *tree_place(struct calltree *t, uint32_t place)
{
	struct stack_frame frames[TRACE_INLINE_MAX];
	struct place_labels *labels;
	size_t count;

	if (place >= t->places.count)
		vector_resize(&t->places, t->heap->stacks.places.count);
	labels = &t->places.items[place];
	if (labels->count)
		return labels;
	count = stack_place_frames(t->heap, place, frames, TRACE_INLINE_MAX);
	count = count > TRACE_INLINE_MAX ? TRACE_INLINE_MAX : count;
	labels->first = (uint32_t)t->label_ids.count;
	labels->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		const struct stack_frame *f = &frames[i];
		struct label label = {
			.kind = LABEL_FRAME, .module = f->module, .function = f->function,
			.address = f->function ? 0 : f->module ? f->module_offset : f->pc,
		};

		vector_push(&t->label_ids, tree_label(t, &label));
	}
	return labels;
}

uint32_t tree_label_of_op(struct calltree *t, const struct site *site)
{
	struct label label = { .kind = LABEL_OP, .address = (uint64_t)site->op << 8 | site->bucket };

	return tree_label(t, &label);
}

uint32_t tree_label_of_cut(struct calltree *t, uint32_t root)
{
	struct label label = { .kind = LABEL_CUT, .address = root };

	return stack_cut_reason(t->heap, root) ? tree_label(t, &label) : HEAP_NONE;
}

/* Of the outermost function of a stack's node; they are all of one module. */
uint32_t tree_label_of_module(struct calltree *t, uint32_t node)
{
	struct label label = { .kind = LABEL_MODULE };
	const struct place_labels *labels;

	if (node >= STACK_FIRST) {
		labels = tree_place(t, t->heap->stacks.nodes.items[node].frame);
		label.module = t->labels.items[t->label_ids.items[labels->first]].module;
		label.address = !label.module;
	}
	return tree_label(t, &label);
}

static const struct label *label_of(const struct calltree *t, uint32_t node)
{
	return &t->labels.items[t->nodes.items[node].label];
}

const char *calltree_module(const struct calltree *t, uint32_t node)
{
	return node == CALLTREE_ROOT ? NULL : label_of(t, node)->module;
}

bool calltree_frame(const struct calltree *t, uint32_t node, struct stack_frame *out, bool *mixed)
{
	struct stack_frame frames[TRACE_INLINE_MAX];
	const struct tree_node *n = &t->nodes.items[node];
	size_t count;

	if (node == CALLTREE_ROOT || label_of(t, node)->kind != LABEL_FRAME)
		return false;
	count = stack_place_frames(t->heap, t->heap->stacks.nodes.items[n->frame].frame, frames, TRACE_INLINE_MAX);
	if (n->part >= count || n->part >= TRACE_INLINE_MAX)
		return false;
	*out = frames[n->part];
	*mixed = n->mixed;
	return true;
}

void calltree_name(const struct calltree *t, uint32_t node, bool lines, struct buffer *out)
{
	const struct label *label = label_of(t, node);
	struct stack_frame frame;
	bool mixed;

	if (node == CALLTREE_ROOT) {
		buffer_append_string(out, "all");
	} else if (calltree_frame(t, node, &frame, &mixed)) {
		stack_frame_print(&frame, lines && !mixed, out);
	} else if (label->kind == LABEL_OP) {
		unsigned bucket = label->address & 255;

		buffer_printf(out, "%s %s", heap_op_label((uint8_t)(label->address >> 8)),
			      bucket < SIZE_BUCKETS ? size_bucket_label(bucket) : "of the runtime");
	} else if (label->kind == LABEL_CUT) {
		buffer_printf(out, "(cut: %s)", stack_cut_reason(t->heap, (uint32_t)label->address));
	} else if (label->module) {
		text_sanitise(out, stack_file_name(label->module), strlen(stack_file_name(label->module)));
	} else {
		buffer_append_string(out, label->address ? "(no module)" : "(no stack)");
	}
}
