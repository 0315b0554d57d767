/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the op byte of an event means; all from the rows of trace/functions.h. */
#ifndef TRACE_OPS_H
#define TRACE_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/functions.h"

/* The name that people read, "malloc"; "?" for ops that do not exist. */
const char *op_label(unsigned op);

/* The symbol that is interposed, "_Znwm"; NULL for pseudo ops and ops that do not exist. */
const char *op_symbol(unsigned op);

/* In the header, since readers and writers ask for every event. */
extern const uint8_t op_kinds[256];
static inline enum op_kind op_kind(unsigned op)
{
	return op < 256 ? (enum op_kind)op_kinds[op] : OP_KIND_NONE;
}

enum op_family op_family(unsigned op);

/* The first op with this label, OP_VOID if there is none. */
unsigned op_from_label(const char *label, size_t length);

#endif
