/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program of an FDE: instructions that build the row of an address. */
#ifndef HOOK_CFI_PROGRAM_H
#define HOOK_CFI_PROGRAM_H

#include "hook/cfi.h"
#include "hook/cfi_read.h"

struct cfi_program {
	struct cfi_cursor code;		/* the CIE's instructions: the row at each function's start */
	uint64_t code_align;
	int64_t data_align;
	uint8_t pointers;		/* encoding of DW_CFA_set_loc's operand */
};

/* Runs the CIE's instructions, then `code` from address `start` up to `at`; fills in all of row
 * but signal, its fp_* for register `reg`.  0, -EBADMSG, -ENOTSUP. */
int cfi_run(const struct cfi_program *cie, struct cfi_cursor code, uintptr_t start, uintptr_t at,
	    unsigned reg, struct cfi_row *row);

#endif
