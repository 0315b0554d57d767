/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .eh_frame of a program whose linker made no table for it (gcc -static): sorted once. */
#ifndef HOOK_CFI_FRAMES_H
#define HOOK_CFI_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* What the table of so many bytes takes at most: zero, untouched memory. */
size_t cfi_frames_reserve_bytes(uint64_t bytes);

/* Makes the table there, once. */
void cfi_frames_index(void *reserved, uintptr_t frames, uint64_t bytes);

/* Where these frames begin, 0: there is no table. */
uintptr_t cfi_frames_start(void);

/* The entry (FDE) of the last function that begins at or before `at`; it may end before it.  0: none. */
uintptr_t cfi_frames_find(uintptr_t at);

#endif
