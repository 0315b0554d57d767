/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the depot of a region: which nodes exist, each once, parents first.
 *
 * New nodes are taken in the order of their ids; one that was not ready then (its writer was
 * interrupted) is fetched when an event or a child names it.  An id that leads nowhere becomes
 * STACK_DEPOT_FULL, the unknown stack.
 *
 * Invariant: a node is put into `fresh` only behind its parent, so what is written has no cycles,
 * whatever the target wrote. */
#ifndef LAUNCHER_STACK_READER_H
#define LAUNCHER_STACK_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "launcher/region.h"

struct stack_reader {
	uint32_t base;		/* added to the region's ids: an exec starts a new depot */
	uint32_t next;		/* ids below were looked at */
	uint32_t limit;		/* highest id written, plus 1 */
	uint8_t *written;	/* bit by id, grown as needed */
	size_t written_bytes;
	uint64_t count;
	uint64_t unknown;	/* events whose stack could not be read */
	VECTOR_STRUCT(stack_nodes, struct trace_stack_node) fresh; /* to be written; runs of ids */
};

/* base: 0, or stack_reader_end of the reader before. */
void stack_reader_init(struct stack_reader *s, uint32_t base);
void stack_reader_release(struct stack_reader *s);

/* Take new nodes into s->fresh, and turn the batch's stack ids into the trace's.  Called after the
 * batch was copied, so every node it needs is there. */
void stack_reader_take(struct stack_reader *s, const struct region *r, struct batch *b);

/* First id that no node of this reader has. */
uint32_t stack_reader_end(const struct stack_reader *s);

#endif
