/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What earlier sessions found out about the addresses of an ELF object, kept in a file by build-id:
 * $XDG_CACHE_HOME/memtrack/BUILDID or ~/.cache/memtrack/BUILDID.
 *
 *	| head: checksum of all behind it, identity | entries by address | frames | strings |
 *
 * A directory or file that is not ours alone to write, and anything that is damaged, is as if it was
 * not there.  A file is replaced as a whole by rename, so sessions at the same time do no harm; the
 * last one wins.  Never larger than the bounds below; what was not used for longest goes first. */
#ifndef LAUNCHER_SYMBOL_CACHE_H
#define LAUNCHER_SYMBOL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/module.h"

#define SYMBOL_CACHE_FILE_MAX	(32u << 20)
#define SYMBOL_CACHE_TOTAL_MAX	(128u << 20)

/* The directory, made if need be; opened, so that it is the one that was looked at.  -1: there is
 * none to be trusted. */
int symbol_cache_directory(void);

struct symbol_cache;

/* The cache of the object with this build-id.  identity says what else the answers depend on: a file
 * with another one is not used.  directory must live as long. */
struct symbol_cache *symbol_cache_new(int directory, const uint8_t *build_id, size_t length, uint64_t identity);
void symbol_cache_free(struct symbol_cache *c);

/* What is known of an address, from the file or added; strings live as long as the cache.  From any
 * thread.  result->count is 0 where it is known that nothing is. */
bool symbol_cache_find(struct symbol_cache *c, uint64_t vaddr, struct symbol_result *result);

/* Keeps an answer, and how long it took to find; copies. */
void symbol_cache_add(struct symbol_cache *c, uint64_t vaddr, const struct symbol_result *result, uint64_t ns);

/* Writes the file, if that spares the next session more than it costs. */
void symbol_cache_save(struct symbol_cache *c);

#endif
