/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the real functions behind the hook by reading the loader's own tables.  dlsym is not
 * used: it takes the loader's lock, may allocate, and may be replaced by the program. */
#ifndef HOOK_RESOLVE_H
#define HOOK_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

/* Remembers which objects were there at start.  Idempotent; makes no call out of the hook. */
void resolve_init(void);

/* The definition of name that a caller at pc would have bound to without the hook: first in the
 * objects behind the hook in the start-up scope, then in the caller's own object and what it
 * needs (a plugin's libstdc++ is in no global scope), then anywhere.  NULL if there is none. */
void *resolve_real(const char *name, uintptr_t pc);

/* Does an object in front of the hook, the program itself, define this name? */
bool resolve_replaced(const char *name);

#endif
