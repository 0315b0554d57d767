/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relocations that put a function's plain address into a word: procedure linkage, imported
 * pointers, initialised pointers (with addend 0). */
#ifndef HOOK_GOT_X86_64_H
#define HOOK_GOT_X86_64_H

#include <elf.h>

#define GOT_IS_POINTER(type) \
	((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)

#endif
