/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loaded objects of a session: what the hook recorded, and the files behind them.
 *
 * An address belongs to a module within epochs [load_epoch, unload_epoch): another library may
 * lie at the same place later. */
#ifndef LAUNCHER_MODULE_TABLE_H
#define LAUNCHER_MODULE_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"
#include "launcher/region.h"
#include "launcher/symbol_files.h"
#include "trace/encode.h"
#include "trace/format.h"

struct jit_map;

struct module_entry {
	uint32_t serial;		/* in the trace, from 1 */
	uint32_t index;			/* in the region */
	uint16_t load_epoch, unload_epoch;
	bool unloaded;			/* unload_epoch counts */
	bool ended;			/* MODULE_END is written */
	bool executable;
	uint64_t start, end, bias;
	uint64_t load_stamp, unload_stamp;	/* quanta */
	uint8_t build_id[32];
	size_t build_id_len;
	char *path;
	struct symbol_file *file;
};

struct module_table {
	struct symbol_files *files;
	pid_t pid;
	char *exe;			/* path of the executable */
	char *symbols_from;
	uint32_t *serials;		/* the session's newest module serial */
	VECTOR_STRUCT(module_entries, struct module_entry *) all;	/* in order of arrival */
	VECTOR_STRUCT(module_order, struct module_entry *) sorted;	/* by start, then load_epoch */
	VECTOR(uint32_t) unready;	/* region indexes below next that were being written */
	uint32_t next;			/* region indexes below were looked at */
	uint32_t epoch;			/* of the region when unloads were last looked for */
	struct jit_map *jit;		/* names of code in no module */
	struct timespec since;		/* real time as file systems have it, before anything was taken */
};

/* exe and symbols_from are copied; symbols_from may be NULL. */
void module_table_init(struct module_table *t, struct symbol_files *files, pid_t pid, const char *exe,
		       const char *symbols_from, uint32_t *serials);
void module_table_release(struct module_table *t);

/* Takes new modules of the region: they are t->all from the returned index on. */
size_t module_table_take(struct module_table *t, const struct region *r);

/* Notices unloaded ones (unloaded is set, ended not yet).  all: whatever the epoch says. */
bool module_table_unloads(struct module_table *t, const struct region *r, bool all);

/* The module of a frame (pc | epoch << 48); NULL when the address is in none. */
const struct module_entry *module_table_find(const struct module_table *t, uint64_t frame, uint32_t flags);

/* The address to look a frame up by, as in the file. */
uint64_t module_vaddr(const struct module_entry *m, uint64_t frame, uint32_t flags);

struct trace_module module_record(const struct module_entry *m);

#endif
