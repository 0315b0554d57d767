/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of findings; for the files of model/ alone. */
#ifndef MODEL_FOUND_H
#define MODEL_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/findings.h"

struct heap;
struct live_block;
struct trace_event;

struct found_act {
	uint64_t stamp;
	uint32_t thread, stack;
	uint8_t op;
	bool known;
};

struct found {
	uint64_t count, first, last;	/* stamps */
	uint64_t ptr, size;
	struct found_act alloc, earlier, free;
	uint32_t site, record;
	uint8_t kind, family;
	bool inferred;
	bool doubtful;		/* inferred from frees without a block */
	bool own;		/* by operators of the program's own: as of names_known */
	uint64_t names_known;	/* stack_symbols_generation + 1; 0: not looked at */
};

/* A block that was freed: kept until another block whose address shares the slot is. */
struct freed_block {
	uint64_t ptr;
	uint64_t size;		/* | op << 48 | free op << 56 */
	uint64_t born, died;
	uint32_t site, thread, free_thread, free_stack, record;
};
#define FREED_SLOTS	4096u

struct found_list {
	VECTOR(struct found) groups;
	struct map by_key;
	struct freed_block *freed;	/* FREED_SLOTS */
	struct finding_sums sums;	/* without those in doubt */
	uint64_t doubtful;		/* inferred double frees of a trace that may leave out blocks */
};

#define FOUND_NONE	UINT32_MAX	/* no group was made */

void found_init(struct found_list *list);
void found_release(struct found_list *list);
void found_exec(struct found_list *list);

static inline struct freed_block *found_slot(struct found_list *list, uint64_t ptr)
{
	return &list->freed[(ptr * 0x9e3779b97f4a7c15ull) >> 52];
}

/* A block was freed in order: remembered in case it is freed again. */
void found_remember(struct heap *heap, const struct live_block *block, uint32_t thread,
	const struct trace_event *event);

/* The hook's word on the free that comes next in the thread. */
void found_event(struct heap *heap, uint32_t thread, const struct trace_event *event);

/* A free of a block of another family; one of no block.  Returns the group, which found_retract()
 * takes one from when the free turns out to have been right. */
void found_mismatch(struct heap *heap, uint32_t thread, const struct trace_event *event,
	const struct live_block *block);
uint32_t found_unmatched(struct heap *heap, uint32_t thread, const struct trace_event *event);
void found_retract(struct heap *heap, uint32_t group);

/* What was inferred from frees without a block since then is none: not all blocks were recorded. */
void found_forget_since(struct heap *heap, uint64_t stamp);

/* May this function release what that one allocated? */
bool ops_fit(uint8_t alloc, uint8_t release);

#endif
