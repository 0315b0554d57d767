/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: see hook/got_cpu.h. */
#ifndef HOOK_GOT_X86_64_H
#define HOOK_GOT_X86_64_H

#include <elf.h>

#define GOT_IS_POINTER(type) \
	((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)

#endif
