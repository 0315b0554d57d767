/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the real functions behind the hook by reading the loader's own tables.  dlsym is not
 * used: it takes the loader's lock, may allocate, and may be replaced by the program. */
#ifndef HOOK_RESOLVE_H
#define HOOK_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

struct link_map;

/* Remembers which objects were there at start.  Idempotent; makes no call out of the hook. */
void resolve_init(void);

/* This library's path as the loader knows it; NULL before resolve_init(). */
const char *resolve_own_name(void);

/* The definition of name that a caller at pc would have bound to without the hook: first in the
 * objects behind the hook in the start-up scope, then in the caller's own object and what it
 * needs (a plugin's libstdc++ is in no global scope), then anywhere.  NULL if there is none. */
void *resolve_real(const char *name, uintptr_t pc);

/* Does an object in front of the hook, the program itself, define this name? */
bool resolve_replaced(const char *name);

/* What an object opened with RTLD_DEEPBIND would find among itself and what it needs. */
void *resolve_local(const struct link_map *object, const char *name);

/* The object that holds pc, NULL: none is known. */
const struct link_map *resolve_object(uintptr_t pc);

/* The start-up objects but the hook, one after the other: the first for NULL, NULL after the last. */
const struct link_map *resolve_startup(const struct link_map *before);
bool resolve_is_startup(const struct link_map *object);

/* Does `at` lie in the executable? */
bool resolve_in_program(uintptr_t at);

#endif
