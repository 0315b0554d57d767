/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: memtrack does not enter running processes there yet. */
#include "inject/cpu.h"

#include <string.h>

bool cpu_supported(void)
{
	return false;
}

uint64_t cpu_pc(const struct user_regs_struct *r)
{
	return r->pc;
}

uint64_t cpu_sp(const struct user_regs_struct *r)
{
	return r->sp;
}

uint64_t cpu_thread_pointer(const struct user_regs_struct *r)
{
	(void)r;
	return 0;
}

void cpu_set_pc(struct user_regs_struct *r, uint64_t pc)
{
	r->pc = pc;
}

void cpu_dwarf_registers(const struct user_regs_struct *r, uint64_t registers[CPU_DWARF_REGISTERS])
{
	memcpy(registers, r, CPU_DWARF_REGISTERS * sizeof(*registers));
}

bool cpu_is_sigreturn(const uint8_t code[CPU_SIGRETURN_SIZE])
{
	(void)code;
	return false;
}

bool cpu_interrupted(struct thread *t)
{
	(void)t;
	return false;
}
