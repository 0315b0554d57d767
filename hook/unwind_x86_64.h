/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: see hook/unwind_cpu.h for what each is. */
#ifndef HOOK_UNWIND_X86_64_H
#define HOOK_UNWIND_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_DWARF_FP	6
#define CPU_DWARF_SP	7
#define CPU_DWARF_PC	16
#define CPU_DWARF_REGISTERS 16u

#define CPU_ADDRESS_BITS 47u
#define CPU_RED_ZONE	128
#define CPU_CALL_BYTES	7
#define CPU_RECORD_ENDS_FRAME 1
#define CPU_HAS_LINK	0

/* struct ucontext (arch/x86/include/uapi/asm/sigcontext.h): uc_mcontext at 40, then r8..r15 rdi
 * rsi rbp rbx rdx rax rcx rsp rip. */
#define CPU_SIGNAL_FP	120
#define CPU_SIGNAL_SP	160
#define CPU_SIGNAL_PC	168

#define CPU_SIGNAL_LINK	0
#define CPU_SIGNAL_MARK	0
#define CPU_SIGNAL_MARK_VALUE 0ul

typedef int16_t cpu_slot;	/* they lie at the upper end of a frame */

static inline uintptr_t cpu_signal_register(unsigned reg)
{
	/* rax rdx rcx rbx rsi rdi rbp rsp r8 .. r15 */
	static const uint8_t offsets[CPU_DWARF_REGISTERS] = {
		144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88, 96,
	};

	return offsets[reg];
}

static inline bool cpu_keeps_register(unsigned reg)
{
	return reg == 3 || reg == CPU_DWARF_FP || reg >= 12;
}

struct cpu_state {};
struct cfi_row;

/* A call pushes it, so it is next to the CFA. */
static inline bool cpu_plain_ra(int64_t offset)
{
	return offset == -8;
}

static inline uintptr_t cpu_ra_at(uintptr_t cfa, cpu_slot ra)
{
	(void)ra;
	return cfa - 8;
}

static inline uintptr_t cpu_ra(uintptr_t word)
{
	return word;
}

static inline uintptr_t cpu_ra_word(uintptr_t at, uintptr_t pc)
{
	(void)at;
	return pc;
}

static inline uintptr_t cpu_link(const struct cpu_state *state)
{
	(void)state;
	return 0;
}

static inline void cpu_set_link(struct cpu_state *state, uintptr_t word)
{
	(void)state;
	(void)word;
}

static inline void cpu_mend(struct cfi_row *row)
{
	(void)row;
}

/* Linkers describe them. */
static inline int cpu_stub_bytes(const uint8_t *code, size_t before, size_t behind)
{
	(void)code;
	(void)before;
	(void)behind;
	return -1;
}

static inline bool cpu_cfi_skips(uint8_t op)
{
	(void)op;
	return false;
}

#endif
