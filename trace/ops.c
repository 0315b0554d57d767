/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the op byte of an event means. */
#include "trace/ops.h"

#include <stdint.h>

struct op_row {
	const char *label, *symbol;
	uint8_t family;
};

static const struct op_row rows[OP_END] = {
	[OP_VOID] = { "?", NULL, OP_FAMILY_NONE },
#define X(id, symbol, label, kind, family) \
	[OP_##id] = { label, #symbol, OP_FAMILY_##family },
	TRACE_FUNCTIONS(X)
#undef X
#define X(id, label, kind, family) \
	[OP_##id] = { label, NULL, OP_FAMILY_##family },
	TRACE_OWN_OPS(X)
	TRACE_PSEUDO_OPS(X)
#undef X
};

static const struct op_row *row_of(unsigned op)
{
	return &rows[op < OP_END && rows[op].label ? op : OP_VOID];
}

const char *op_label(unsigned op)
{
	return row_of(op)->label;
}

const char *op_symbol(unsigned op)
{
	return row_of(op)->symbol;
}

const uint8_t op_kinds[256] = {
#define X(id, symbol, label, kind, family) [OP_##id] = OP_KIND_##kind,
	TRACE_FUNCTIONS(X)
#undef X
#define X(id, label, kind, family) [OP_##id] = OP_KIND_##kind,
	TRACE_OWN_OPS(X)
	TRACE_PSEUDO_OPS(X)
#undef X
};

enum op_family op_family(unsigned op)
{
	return (enum op_family)row_of(op)->family;
}

static int same(const char *label, const char *text, size_t length)
{
	size_t i = 0;

	while (i < length && label[i] && label[i] == text[i])
		i++;
	return i == length && !label[i];
}

unsigned op_from_label(const char *label, size_t length)
{
	for (unsigned i = 1; i < OP_END; i++)
		if (rows[i].label && same(rows[i].label, label, length))
			return i;
	return OP_VOID;
}
