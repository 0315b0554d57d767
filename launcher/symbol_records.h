/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One resolved address as SYMBOLS and STRING records. */
#ifndef LAUNCHER_SYMBOL_RECORDS_H
#define LAUNCHER_SYMBOL_RECORDS_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/intern.h"

struct jit_map;
struct symbol_file;
struct symbol_result;

struct symbol_work {
	struct symbol_file *file;	/* NULL: in no module */
	struct jit_map *jit;		/* then */
	uint64_t vaddr;
	uint32_t module;	/* serial in the trace */
};

/* Append the records to out; nothing when the address is not known.  strings: those that the
 * trace has already. */
void symbol_records_put(const struct symbol_work *work, const struct symbol_result *result,
			struct intern *strings, struct buffer *out);
void symbol_records_put_jit(const struct symbol_work *work, struct intern *strings, struct buffer *out);

#endif
