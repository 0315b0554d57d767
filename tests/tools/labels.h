/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts and bytes per label of trace/functions.h, to compare a counter file with a trace. */
#ifndef TESTS_TOOLS_LABELS_H
#define TESTS_TOOLS_LABELS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "trace/functions.h"

/* By op; rows of one label and kind are added up when printed. */
struct label_sums {
	uint64_t count[256], bytes[256];
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
	TRACE_OWN_OPS(X)
	TRACE_PSEUDO_OPS(X)
#undef X
	default:
		*kind = OP_KIND_NONE;
		return NULL;
	}
}

static inline void label_sums_add(struct label_sums *sums, unsigned op, uint64_t count, uint64_t bytes)
{
	sums->count[op & 255] += count;
	sums->bytes[op & 255] += bytes;
}

/* Only the heap and mappings that begin: which munmap concerns a tracked range only a reader can
 * say, and the break belongs to the allocator. */
static inline int label_is_compared(const char *label, enum op_kind kind)
{
	return label && kind != OP_KIND_EXIT && kind != OP_KIND_UNMAP && strcmp(label, "mremap") != 0 &&
		strstr(label, "brk") == NULL;
}

/* LABEL COUNT BYTES of every label that occurred, in the order of ops. */
static inline void label_sums_print(struct label_sums *sums)
{
	for (unsigned op = 0; op < 256; op++) {
		uint64_t count = 0, bytes = 0;
		enum op_kind kind, other_kind;
		const char *label = label_of(op, &kind), *other;

		if (sums->count[op] == 0 || !label_is_compared(label, kind))
			continue;
		for (unsigned i = op; i < 256; i++) {
			other = label_of(i, &other_kind);
			if (!other || strcmp(other, label) != 0 || other_kind != kind)
				continue;
			count += sums->count[i];
			bytes += kind == OP_KIND_FREE ? 0 : sums->bytes[i];
			sums->count[i] = 0;
		}
		printf("%s %" PRIu64 " %" PRIu64 "\n", label, count, bytes);
	}
}

#endif
