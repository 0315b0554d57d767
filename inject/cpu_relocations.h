/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of the relocations that a freestanding object has, by CPU; from elf.h. */
#ifndef INJECT_CPU_RELOCATIONS_H
#define INJECT_CPU_RELOCATIONS_H

#include <elf.h>

#if defined(__x86_64__)
#define CPU_MACHINE	EM_X86_64
#define CPU_R_NONE	R_X86_64_NONE
#define CPU_R_RELATIVE	R_X86_64_RELATIVE
#define CPU_R_64	R_X86_64_64
#define CPU_R_GLOB_DAT	R_X86_64_GLOB_DAT
#define CPU_R_JUMP_SLOT	R_X86_64_JUMP_SLOT
#else
#define CPU_MACHINE	EM_AARCH64
#define CPU_R_NONE	R_AARCH64_NONE
#define CPU_R_RELATIVE	R_AARCH64_RELATIVE
#define CPU_R_64	R_AARCH64_ABS64
#define CPU_R_GLOB_DAT	R_AARCH64_GLOB_DAT
#define CPU_R_JUMP_SLOT	R_AARCH64_JUMP_SLOT
#endif

/* elf.h has them since glibc 2.36. */
#define CPU_DT_RELRSZ	35
#define CPU_DT_RELR	36

#endif
