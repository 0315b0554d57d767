/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loaded ELF objects, as far as unwinding met them.
 *
 * An object is met when the first pc in it is looked up; then it is published in the region's
 * modules[] (same index here and there).  Its epoch is the region's module epoch at that time
 * and becomes part of every frame in it, so that equal addresses of two objects that followed
 * each other never mean the same frame.  An object that comes back unchanged (same place, name
 * and build-id) is the same module again: dlopen/dlclose in a loop costs nothing.
 *
 * Lock-free; a second thread that meets the same object at the same moment, and any object
 * beyond CHANNEL_MODULES_MAX, gets a description of its own that is not shared. */
#ifndef HOOK_MODULES_H
#define HOOK_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/cfi.h"

struct channel_region;

#define MODULES_EPOCH_MAX	0x7fffu	/* later ones share it: bit 15 marks DEPOT_EXACT inside */

struct module {
	uintptr_t start, end, bias;
	const void *link_map;
	const char *name;		/* the link map's; valid while the object is loaded */
	struct cfi_tables tables;
	struct cfi_segment code;	/* from the first executable segment to the last */
	const uint8_t *build_id;	/* in the object's memory, as name */
	uint32_t build_id_size;
	uint64_t build_id_word;		/* its first 8 bytes; without one, something like it */
	uint16_t epoch;
	bool shared;			/* it is published and its rows may be kept */
};

/* Bytes wanted at modules_init. */
size_t modules_reserve_bytes(void);

/* modules_offset: of modules[] in the region.  Also in a fork child with a new region: what is
 * still loaded is published there. */
void modules_init(void *reserved, struct channel_region *region, uint64_t modules_offset);

/* Nothing was ever met, and there is no region. */
void modules_forget(void);

/* The object that holds code address `at`, which must be on somebody's stack (or *at was proven
 * otherwise): false: none is known.  May find that an object has been replaced. */
bool modules_find(uintptr_t at, struct module *m);

/* Is `at` in the code of an object met before, or anywhere in another one?  Reads only the
 * unwinder's and the loader's tables, so any word may be asked about. */
bool modules_code(uintptr_t at);

/* The object that holds `at` has just been loaded: whatever was known there is gone, even if nobody
 * said so (libc's own dlclose passes the hook by). */
void modules_loaded(uintptr_t at);

/* After a dlclose: stamps what is gone.  The next new object begins a new epoch. */
void modules_changed(void);

#endif
