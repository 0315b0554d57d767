/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts and bytes per label of trace/functions.h, to compare a counter file with a trace. */
#ifndef TESTS_TOOLS_LABELS_H
#define TESTS_TOOLS_LABELS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "trace/functions.h"

struct label_sum {
	const char *label;
	enum op_kind kind;
	uint64_t count, bytes;
};

struct label_sums {
	struct label_sum rows[OP_END];
	unsigned used;
};

static inline const char *label_of(unsigned op, enum op_kind *kind)
{
	switch (op) {
#define X(id, symbol, label, what, family) \
	case OP_##id: *kind = OP_KIND_##what; return label;
	TRACE_FUNCTIONS(X)
#undef X
#define X(id, label, what, family) \
	case OP_##id: *kind = OP_KIND_##what; return label;
	TRACE_PSEUDO_OPS(X)
#undef X
	default:
		*kind = OP_KIND_NONE;
		return NULL;
	}
}

static inline void label_sums_add(struct label_sums *sums, unsigned op, uint64_t count, uint64_t bytes)
{
	enum op_kind kind;
	const char *label = label_of(op, &kind);
	unsigned i;

	if (!label || count == 0 || kind == OP_KIND_EXIT)
		return;
	for (i = 0; i < sums->used; i++)
		if (strcmp(sums->rows[i].label, label) == 0 && sums->rows[i].kind == kind)
			break;
	if (i == sums->used)
		sums->rows[sums->used++] = (struct label_sum){ label, kind, 0, 0 };
	sums->rows[i].count += count;
	sums->rows[i].bytes += kind == OP_KIND_FREE ? 0 : bytes;
}

/* Only the heap and mappings that begin: which munmap concerns a tracked range only a reader can
 * say, and the break belongs to the allocator. */
static inline void label_sums_print(const struct label_sums *sums)
{
	for (unsigned i = 0; i < sums->used; i++) {
		const struct label_sum *row = &sums->rows[i];

		if (row->kind == OP_KIND_UNMAP || strstr(row->label, "brk") || strstr(row->label, "mremap"))
			continue;
		printf("%s %" PRIu64 " %" PRIu64 "\n", row->label, row->count, row->bytes);
	}
}

#endif
