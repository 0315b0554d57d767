/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a register other than sp and fp held in a frame: a walk does not follow it, but it is still
 * where an inner frame of the same walk saved it. */
#ifndef HOOK_UNWIND_REGISTER_H
#define HOOK_UNWIND_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

struct walk_frame;

/* The value of register `reg` (its DWARF number) in the last of n frames, innermost first.  low: where
 * that one's stack begins to be readable.  false: no frame tells. */
bool register_in_frame(const struct walk_frame *frames, unsigned n, unsigned reg, uintptr_t low,
		       uintptr_t *value);

#endif
