/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF objects of a trace, and what is known by name: strings, and symbols of addresses. */
#ifndef MODEL_MODULES_H
#define MODEL_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/format.h"

#define MODULES_MAX	0x7fffu	/* numbers fit into 15 bits of a key */

/* Serials may be used again after an exec; numbers (index + 1) are ours and never are. */
struct module {
	uint64_t start, end, bias, stamp;
	uint32_t epoch, end_epoch;
	uint32_t image;		/* counts execs: modules of an earlier image match no new pc */
	bool unloaded;
	uint32_t path;		/* intern id */
	uint32_t file;		/* intern id of the last path component */
};

struct symbol {
	uint64_t offset;
	uint32_t first, count;	/* in frames */
};

struct modules {
	VECTOR(struct module) items;
	struct map by_serial;	/* serial -> number */
	uint32_t image;
	uint32_t last;		/* number of the module found last: pcs come in runs */
	struct intern *strings;
	struct map string_ids;	/* of STRING records -> intern id */
	struct map symbols;	/* number << 48 | address -> index */
	VECTOR(struct symbol) list;
	VECTOR(struct trace_symbol_frame) frames;
	uint64_t generation;	/* moves when names arrive */
};

void modules_init(struct modules *m);
void modules_release(struct modules *m);

void modules_add(struct modules *m, const struct trace_module *module);
void modules_end(struct modules *m, const struct trace_module_end *end);
void modules_exec(struct modules *m);

/* Number of the module that pc was in during an epoch, 0 if none is known. */
uint32_t modules_find(struct modules *m, uint64_t pc, uint16_t epoch);

static inline const struct module *modules_at(const struct modules *m, uint32_t number)
{
	return number && number <= m->items.count ? &m->items.items[number - 1] : NULL;
}

void modules_string(struct modules *m, const struct trace_string_def *string);
void modules_symbols(struct modules *m, const struct trace_symbols *symbols);

/* What is known of an address (file view; absolute for module 0), or NULL. */
const struct symbol *modules_symbol(const struct modules *m, uint32_t number, uint64_t address);

/* Text of a STRING id; NULL when unknown or empty. */
const char *modules_text(const struct modules *m, uint32_t string);

#endif
