/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the unwinder must know of the CPU and of the kernel's signal frame.
 *
 *   CPU_DWARF_SP, _FP, _PC    DWARF numbers of the two registers that are followed, and of the column
 *                             that stands for the return address
 *   CPU_ADDRESS_BITS          of user space
 *   CPU_RED_ZONE              bytes below the stack pointer that a function may use
 *   CPU_CALL_BYTES            the longest call instruction that cpu_is_call() knows
 *   CPU_RECORD_ENDS_FRAME     a function with a frame pointer and without CFI has the saved one and the
 *                             return address at the end of its frame: its CFA is behind them
 *   CPU_HAS_LINK              a call leaves the return address in a register
 *   CPU_SIGNAL_SP, _FP, _PC   the interrupted registers, from the stack pointer as the handler's
 *   CPU_SIGNAL_LINK           return leaves it
 *   CPU_SIGNAL_MARK, _VALUE   a word of every signal frame; 0: no such
 *   struct cpu_state          what of the interrupted registers is followed besides sp, fp and pc
 *   cpu_link(), cpu_set_link()    the register with the return address, if there is one
 *   cpu_slot                  an offset from the CFA to a saved register
 *   cpu_plain_ra(offset)      may a plain rule have the return address at cfa + offset?
 *   cpu_ra_at(cfa, ra)        where a plain rule has it
 *   cpu_ra(word)              the address in a word that is saved as one
 *   cpu_ra_word(at, pc)       the word at `at`, known to be saved for pc
 *   cpu_mend(row)             puts right what is known to be wrong in call frame information
 *   cpu_cfi_skips(op)         this instruction of the CPU's own changes nothing that is followed
 *   CPU_DWARF_REGISTERS       the general ones have numbers below
 *   cpu_signal_register()     where an interrupted one was saved, as CPU_SIGNAL_SP
 *   cpu_keeps_register()      a function that uses it saves it first
 *   cpu_is_sigreturn()        the code is a signal restorer (it may have no CFI)
 *   cpu_stub_bytes()          the code is a stub of the procedure linkage table, which has no CFI: what it has
 *                             pushed here; -1: it is none
 *   cpu_is_call()             the code ends with a call; its target, or 0 if it is not in the code
 */
#ifndef HOOK_UNWIND_CPU_H
#define HOOK_UNWIND_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __x86_64__
#include "hook/unwind_x86_64.h"
#elif defined __aarch64__
#include "hook/unwind_aarch64.h"
#else
#error "no unwinder for this CPU"
#endif

/* code: `size` readable bytes. */
bool cpu_is_sigreturn(const uint8_t *code, size_t size);

/* code: `size` readable bytes before a presumed return address. */
bool cpu_is_call(const uint8_t *code, size_t size, uintptr_t *target);

#endif
