/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of a heap: one for each allocation, in the order of time, with its free.
 *
 * Ids are dense, from 0, and stay.  A partial munmap splits a record: the pieces that get ids of
 * their own are marked `piece` and do not count as allocations.  Only with keep_records.
 */
#ifndef MODEL_BLOCKS_H
#define MODEL_BLOCKS_H

#include "model/heap.h"

/* [A], [F], [L].  Leaked: its thread or the program has ended; a later free makes it freed.
 * Gone: its process image was replaced by exec.  Split: a partial munmap cut it, its pieces have
 * records of their own; no selection shows it. */
enum block_state { BLOCK_ACTIVE, BLOCK_FREED, BLOCK_LEAKED, BLOCK_GONE, BLOCK_SPLIT };

struct block_record {
	uint32_t id;
	enum block_state state;
	enum heap_class class;		/* HEAP_BLOCKS or HEAP_PAGES */
	bool piece;
	bool mismatched;		/* freed by the wrong function */
	bool runtime;			/* leaked, but the C or C++ runtime's own: no leak of the program.
					 * Show it as BLOCK_RUNTIME_LABEL, not as a leak; heap_totals,
					 * threads and SELECT_LEAKS leave it out.  By name: it may turn
					 * true when symbols come (stack_symbols_generation) */
	uint8_t op, free_op;		/* heap_op_label(); free_op 0: not freed, or free not seen */
	uint64_t ptr, size;
	uint64_t alloc_ns;
	uint64_t free_ns;		/* when freed or gone */
	uint64_t age_ns;		/* lifetime; of live ones so far */
	uint32_t thread, free_thread;	/* model/threads.h index; HEAP_NONE when unknown */
	uint32_t stack, free_stack;	/* model/stacks.h id; HEAP_NONE when not captured */
	uint32_t site;			/* model/sites.h */
};

/* Records so far (those of the last moment may still wait for order, see heap_settle). */
uint32_t block_count(const struct heap *heap);

/* id < block_count() */
void block_get(const struct heap *heap, uint32_t id, struct block_record *out);

#define BLOCK_RUNTIME_LABEL	"[R]"

/* "[A]" "[F]" "[L]" "[X]" "[S]"; of one with `runtime`, the label is BLOCK_RUNTIME_LABEL */
const char *block_state_label(enum block_state state);

#endif
