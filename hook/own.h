/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wrappers behind the names of hook/own_functions.h.  Nobody binds to them: hook/got.h writes
 * them into import slots. */
#ifndef HOOK_OWN_H
#define HOOK_OWN_H

#include <stdbool.h>
#include <stdint.h>

/* The wrapper for a name; *real: where the wrapper finds the function it is put before, NULL
 * until somebody stores it.  NULL: no such name. */
void *own_wrapper(const char *name, void *_Atomic **real);

#endif
