/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The resident pages of one sample, and what lies on them. */
#ifndef MODEL_PAGES_H
#define MODEL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/format.h"

struct page_map {
	uint64_t start, end;	/* bytes */
	size_t first;		/* cell of its first page */
	bool allocator;		/* it is known to hold blocks */
};

struct pages {
	VECTOR(struct page_map) maps;	/* sorted, disjoint */
	uint32_t *cells;	/* of every page of the maps: see pages.c */
	size_t count;
	size_t work;		/* cells filled behind the first of a block */
	unsigned shift;		/* log2 of a page's bytes */
};

/* 0, or -EBADMSG: nothing is to be released. */
int pages_open(struct pages *pages, const struct trace_resident *resident);
void pages_release(struct pages *pages);

/* The mappings that share a byte with the range are the allocator's. */
void pages_claim(struct pages *pages, uint64_t start, uint64_t end);

/* The range is not the allocator's, whatever mapping it lies in. */
void pages_exclude(struct pages *pages, uint64_t start, uint64_t end);

/* A live block, which makes its mapping the allocator's. */
void pages_block(struct pages *pages, uint64_t ptr, uint64_t size);

/* Bytes of the allocator's mappings: all, resident; live bytes on resident pages; resident pages
 * without a live block. */
void pages_sum(const struct pages *pages, uint64_t *taken, uint64_t *resident, uint64_t *used,
	uint64_t *empty);

#endif
