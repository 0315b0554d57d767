/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: see hook/unwind_cpu.h for what each is. */
#ifndef HOOK_UNWIND_X86_64_H
#define HOOK_UNWIND_X86_64_H

#include <stdint.h>

#define CPU_DWARF_FP	6
#define CPU_DWARF_SP	7
#define CPU_DWARF_PC	16

#define CPU_RA_OFFSET	(-8)
#define CPU_RED_ZONE	128
#define CPU_CALL_BYTES	7

/* struct ucontext (arch/x86/include/uapi/asm/sigcontext.h): uc_mcontext at 40, then r8..r15 rdi
 * rsi rbp rbx rdx rax rcx rsp rip. */
#define CPU_SIGNAL_FP	120
#define CPU_SIGNAL_SP	160
#define CPU_SIGNAL_PC	168

static inline uintptr_t cpu_thread_pointer(void)
{
	uintptr_t self;

	__asm__("movq %%fs:0, %0" : "=r"(self));
	return self;
}

#endif
