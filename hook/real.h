/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The real functions behind the interposed ones, by op number. */
#ifndef HOOK_REAL_H
#define HOOK_REAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/raw.h"
#include "trace/functions.h"

extern void *hook_real[OP_FUNCTIONS_END] __attribute__((visibility("hidden")));

/* Looks op's function up for a caller at pc; where libc has none, the next best (free for
 * free_sized).  Never NULL: when all fails, the bootstrap allocator or a stub that returns 0. */
void *real_resolve(enum op op, uintptr_t pc);

/* The function of that name; what hook_real[] has may be a shorter way to the same.  NULL: not looked
 * up yet. */
void *real_defined(enum op op);

/* Is pc in the library whose operator new asks the new_handler? */
bool real_asks_handler(uintptr_t pc);

/* Is malloc glibc's?  Its blocks are at least 32 bytes apart, and it alone moves the break. */
bool real_is_glibc(void);

/* Looks up all that the start-up objects define, so that later calls find their pointer. */
void real_init(void);

static inline void *real_get(enum op op, uintptr_t pc)
{
	void *f = hook_real[op];

	return likely(f) ? f : real_resolve(op, pc);
}

#endif
