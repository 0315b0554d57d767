/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks as a tree: a node is a frame under its caller, a stack is the id of its innermost node.
 *
 * Node ids are ours and canonical: equal stacks have equal ids, though the trace may hold a node
 * twice, and a library may come back at another address.  Ids below STACK_FIRST are the roots of
 * trace/channel.h's enum stack_root (the trace's own small ids, taken over as they are). */
#ifndef MODEL_STACK_TABLE_H
#define MODEL_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/modules.h"

#define STACK_FIRST	8u
#define STACK_UNKNOWN	4u	/* STACK_CUT_UNKNOWN: what an id never defined stands for */

struct stack_node {
	uint32_t parent;
	uint32_t frame;
};

/* Where a frame is.  The frame of a text log says all itself: text, function and module are ids of
 * interned strings then, and address is the offset in the function, or in the file without one. */
struct stack_place {
	uint64_t pc;
	uint64_t address;	/* pc - bias; pc itself outside modules */
	uint32_t module;	/* number, 0 none */
	uint32_t text;		/* of a text log's frame, else 0 */
	uint32_t function;	/* mangled; 0 unknown */
	uint16_t epoch;
	uint8_t exact;		/* pc is no return address */
};

struct stack_table {
	VECTOR(struct stack_node) nodes;
	VECTOR(struct stack_place) places;	/* [0] unused */
	struct map node_ids;	/* parent << 32 | frame -> id */
	struct map place_ids;	/* exact << 63 | module << 48 | address -> index */
	struct map raw_places;	/* pc | epoch << 48 | exact << 47 -> index; forgotten when modules change */
	struct map text_places;	/* intern id -> index */
	uint32_t **pages;	/* trace id -> node id, 4096 a page */
	size_t page_count;
};

void stack_table_init(struct stack_table *t);
void stack_table_release(struct stack_table *t);

/* A node of the trace; overwrites an earlier one of the same id. */
void stack_table_define(struct stack_table *t, struct modules *m, const struct trace_stack_node *node);

/* Modules came, or the process executed another image. */
void stack_table_modules_changed(struct stack_table *t);

/* A frame of a text log, by its interned text: its index, *created when it is to be filled in. */
uint32_t stack_table_text(struct stack_table *t, uint32_t text, bool *created);

/* The canonical node of a frame under a node. */
uint32_t stack_table_node(struct stack_table *t, uint32_t parent, uint32_t place);

/* Our id of an id of the trace. */
static inline uint32_t stack_table_id(const struct stack_table *t, uint32_t raw)
{
	size_t page = raw >> 12;

	if (raw < STACK_FIRST)
		return raw;
	if (page >= t->page_count || !t->pages[page])
		return STACK_UNKNOWN;
	return t->pages[page][raw & 4095];
}

#endif
