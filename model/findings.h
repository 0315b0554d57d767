/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings: frees that were wrong in themselves, whatever was leaked.
 *
 *   mismatch  the block was allocated by another family of functions: new[] and free, say; a realloc
 *             of what new returned; new with an alignment and delete without (the standard wants the
 *             same of both)
 *   double    the block was free already
 *   unknown   no traced call returned the pointer: it is wild, or older than the trace
 *
 * memtrack's hook sees them as they happen and records the stack of the free.  Where it did not
 * look (text logs, older traces) they are inferred from how frees and allocations match, and are
 * marked so; in a trace that leaves out allocations only mismatches can be.
 *
 * Equal ones are one group: same kind, allocation site and stack of the free.  Groups come in the
 * order of their first occurrence.  FINDING_GROUPS_MAX of them are kept, all are counted. */
#ifndef MODEL_FINDINGS_H
#define MODEL_FINDINGS_H

#include "model/heap.h"

#define FINDING_GROUPS_MAX	4096u

enum finding_kind { FINDING_MISMATCH, FINDING_DOUBLE, FINDING_UNKNOWN, FINDING_KINDS };

/* "mismatch" "double free" "unknown pointer" */
const char *finding_kind_label(enum finding_kind kind);

/* Who did something to the block of a finding, as far as it is known. */
struct finding_act {
	bool known;
	uint8_t op;
	uint32_t thread;	/* HEAP_NONE when unknown */
	uint32_t stack;		/* HEAP_NONE when not captured */
	uint64_t ns;
};

struct finding {
	enum finding_kind kind;
	bool inferred;
	uint64_t count;
	uint64_t first_ns, last_ns;
	/* The example, the first one: */
	uint64_t ptr, size;		/* size of the block, when alloc.known */
	uint32_t record;		/* of the block, or HEAP_NONE */
	uint32_t site;			/* that allocated it, or HEAP_NONE */
	struct finding_act alloc;
	struct finding_act earlier;	/* of a double free: the one that was right */
	struct finding_act free;	/* the one that was wrong */
	const char *family;		/* "new[]": what allocated the block, even if not known by whom */
	bool fatal;			/* the program was killed by SIGABRT right there */
};

/* Groups. */
size_t finding_count(const struct heap *heap);
void finding_get(const struct heap *heap, size_t index, struct finding *out);

/* The group a record belongs to; SIZE_MAX when it is in none. */
size_t finding_of_record(const struct heap *heap, uint32_t record);

/* All of them, those of groups beyond the cap too. */
struct finding_sums {
	uint64_t all, kinds[FINDING_KINDS];
	uint64_t inferred;
	uint64_t beyond;	/* of all, those whose group was not kept */
};
void finding_sums(const struct heap *heap, struct finding_sums *out);

/* "free", "realloc", "new (aligned)": the function, more exactly than the OP column says it. */
const char *finding_op_label(uint8_t op);

#endif
