/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that symbol tables name, sorted for look-up by address. */
#ifndef SYMBOLS_FUNCTIONS_H
#define SYMBOLS_FUNCTIONS_H

#include "symbols/elf.h"
#include "symbols/spans.h"

struct function {
	uint64_t start, size;		/* size 0: a guess up to the next symbol */
	const char *name;		/* lives in the elf_file it came from */
};

/* Invariant: index values are places in items. */
struct function_table {
	VECTOR(struct function) items;
	struct span_index index;
};

/* Symbols of `files` (NULLs allowed) that lie in executable segments of `code`.  Sized symbols win
 * over unsized, global over weak over local, short names over long; an unsized symbol only names
 * what no sized one covers.  The files must outlive the table. */
void function_table_build(struct function_table *, struct elf_file *const *files, size_t count,
			  const struct elf_file *code);
void function_table_release(struct function_table *);

/* NULL: no symbol says anything about vaddr. */
const struct function *function_find(const struct function_table *, uint64_t vaddr);

#endif
