/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GOT_IS_POINTER(type): the relocations that put a function's plain address into a word: procedure
 * linkage, imported pointers, initialised pointers (with addend 0). */
#ifndef HOOK_GOT_CPU_H
#define HOOK_GOT_CPU_H

#if defined __x86_64__
#include "hook/got_x86_64.h"
#elif defined __aarch64__
#include "hook/got_aarch64.h"
#else
#error "no hook/got_CPU.h for this CPU"
#endif

#endif
