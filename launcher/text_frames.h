/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frame lines of the text log: BINARY(SYMBOL+0xN) [0xPC], made once per node. */
#ifndef LAUNCHER_TEXT_FRAMES_H
#define LAUNCHER_TEXT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/format.h"

struct module_table;

struct text_node {
	uint64_t frame;
	uint32_t parent;	/* index + 1 into nodes; 0: outermost */
	uint32_t flags;
	uint32_t text, length;	/* in texts; length 0: not made yet */
};

struct text_frames {
	VECTOR_STRUCT(text_nodes, struct text_node) nodes;
	struct map by_id;	/* trace id -> index */
	struct map made;	/* frame -> text << 32 | length, for other nodes with the same frame */
	struct buffer texts;
	const struct module_table *modules;
};

void text_frames_init(struct text_frames *f, const struct module_table *modules);
void text_frames_release(struct text_frames *f);

void text_frames_add(struct text_frames *f, const struct trace_stack_node *nodes, size_t count);

/* Appends the lines of a stack, innermost frame first; nothing for roots and unknown ids. */
void text_frames_write(struct text_frames *f, uint32_t stack, struct buffer *out);

/* Another image: its addresses mean something else. */
void text_frames_modules(struct text_frames *f, const struct module_table *modules);

#endif
