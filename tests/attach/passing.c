/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In the hook's place: counts who comes by and lets them go on.  What is pushed is the real function. */
#include <stdint.h>

/* Not in .bss: it is set in the file. */
__attribute__((section(".data"))) uint32_t memtrack_injected = 0;
__attribute__((section(".data"))) uint64_t passing_count = 0;

__asm__(".text\n"
	".globl passing_entry\n"
	".type passing_entry, @function\n"
	"passing_entry:\n"
	"	lock incq passing_count(%rip)\n"
	"	ret\n"
	".size passing_entry, .-passing_entry\n");
