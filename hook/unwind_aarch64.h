/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: see hook/unwind_cpu.h for what each is.
 *
 * A call leaves the return address in x30; a function that calls others saves it with x29, at offsets
 * of its own choice.  It may be signed (pointer authentication) where it is saved: the signature is
 * in bits that no address of user space has, and is taken off without being checked. */
#ifndef HOOK_UNWIND_AARCH64_H
#define HOOK_UNWIND_AARCH64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/cfi.h"

#define CPU_DWARF_FP	29
#define CPU_DWARF_SP	31
#define CPU_DWARF_PC	30	/* the return column */
#define CPU_DWARF_REGISTERS 31u

#define CPU_ADDRESS_BITS 48u
#define CPU_RED_ZONE	0
#define CPU_CALL_BYTES	4
#define CPU_RECORD_ENDS_FRAME 0
#define CPU_HAS_LINK	1

/* struct rt_sigframe: siginfo (128 bytes), struct ucontext with uc_mcontext at 176, there the fault's
 * address, x0 .. x30, sp, pc, pstate, and from 592 on records of further state, the first of them
 * the vector registers' (arch/arm64/include/uapi/asm/sigcontext.h). */
#define CPU_SIGNAL_FP	544
#define CPU_SIGNAL_LINK	552
#define CPU_SIGNAL_SP	560
#define CPU_SIGNAL_PC	568
#define CPU_SIGNAL_MARK	592
#define CPU_SIGNAL_MARK_VALUE 0x0000021046508001ul	/* FPSIMD_MAGIC, its size */

#define CPU_PAC_BITS	0x007f000000000000ul

typedef int32_t cpu_slot;	/* below a frame's arrays */

static inline uintptr_t cpu_signal_register(unsigned reg)
{
	return CPU_SIGNAL_FP - 8 * CPU_DWARF_FP + 8 * (uintptr_t)reg;
}

static inline bool cpu_keeps_register(unsigned reg)
{
	return reg >= 19 && reg <= CPU_DWARF_FP;
}

struct cpu_state {
	uintptr_t link;		/* x30 of interrupted code */
};

static inline bool cpu_plain_ra(int64_t offset)
{
	return offset <= -8;
}

static inline uintptr_t cpu_ra_at(uintptr_t cfa, cpu_slot ra)
{
	return cfa + (uintptr_t)(intptr_t)ra;
}

static inline uintptr_t cpu_ra(uintptr_t word)
{
	return word & ~CPU_PAC_BITS;
}

static inline uintptr_t cpu_ra_word(uintptr_t at, uintptr_t pc)
{
	(void)pc;
	return *(const uintptr_t *)at;
}

static inline uintptr_t cpu_link(const struct cpu_state *state)
{
	return state->link;
}

static inline void cpu_set_link(struct cpu_state *state, uintptr_t word)
{
	state->link = word;
}

/* _dl_runtime_resolve of glibc says where the return address is as if the linkage table's stub, which
 * pushed it, belonged to the caller's frame: above the CFA.  There is no such frame on a stack (but
 * longjmp's CFA is its buffer). */
static inline void cpu_mend(struct cfi_row *row)
{
	bool wrong = row->cfa_base == CFI_SP && row->ra_how == CFI_AT_CFA && row->ra_offset >= 0;
	int32_t above = wrong ? (row->ra_offset & ~15) + 16 : 0;

	row->cfa_offset += above;
	row->ra_offset -= above;
	row->fp_offset -= row->fp_how == CFI_AT_CFA ? above : 0;
}

/* So many bytes before and behind `code` are readable. */
int cpu_stub_bytes(const uint8_t *code, size_t before, size_t behind);

/* DW_CFA_AARCH64_negate_ra_state, and its form with a pc: signed from here on, or not any more. */
static inline bool cpu_cfi_skips(uint8_t op)
{
	return op == 0x2d || op == 0x2c;
}

#endif
