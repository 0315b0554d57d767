/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the unwinder must know of the CPU and of the kernel's signal frame.
 *
 *   CPU_DWARF_SP, _FP, _PC    DWARF numbers of the three registers that are followed
 *   CPU_RA_OFFSET             where a call puts the return address, from the CFA
 *   CPU_RED_ZONE              bytes below the stack pointer that a function may use
 *   CPU_CALL_BYTES            the longest call instruction that cpu_is_call() knows
 *   CPU_SIGNAL_SP, _FP, _PC   the interrupted registers, from the stack pointer as the handler's
 *                             return leaves it
 *   cpu_thread_pointer()      address of the thread control block
 *   cpu_is_sigreturn()        the code is a signal restorer (it may have no CFI)
 *   cpu_is_call()             the code ends with a call; its target, or 0 if it is not in the code
 */
#ifndef HOOK_UNWIND_CPU_H
#define HOOK_UNWIND_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __x86_64__
#include "hook/unwind_x86_64.h"
#else
#error "no unwinder for this CPU"
#endif

/* code: `size` readable bytes. */
bool cpu_is_sigreturn(const uint8_t *code, size_t size);

/* code: `size` readable bytes before a presumed return address. */
bool cpu_is_call(const uint8_t *code, size_t size, uintptr_t *target);

#endif
