/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: see hook/got_cpu.h. */
#ifndef HOOK_GOT_AARCH64_H
#define HOOK_GOT_AARCH64_H

#include <elf.h>

#define GOT_IS_POINTER(type) \
	((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)

#endif
