/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call frame information: what .eh_frame says about one address.
 *
 * Reads the mapped tables of a loaded object; every read is checked against the object's
 * readable segments, so a damaged table gives an error and never a fault.  Only what an unwinder
 * of the stack, frame and return-address registers needs is kept of a row. */
#ifndef HOOK_CFI_H
#define HOOK_CFI_H

#include <stdbool.h>
#include <stdint.h>

#define CFI_SEGMENTS_MAX	8u	/* the tables are in one of the first; node has six */

struct cfi_segment {
	uintptr_t start, end;
};

/* The unwind tables of one object. */
struct cfi_tables {
	uintptr_t header;	/* .eh_frame_hdr, 0 when the object has none */
	uintptr_t frames;	/* then: .eh_frame, if it is known to hook/cfi_frames.h */
	uint32_t count;
	struct cfi_segment readable[CFI_SEGMENTS_MAX];
};

/* Where a value comes from.  MEM_*: the word at register + offset. */
enum cfi_base {
	CFI_CONST,		/* only inside expressions */
	CFI_SP, CFI_FP, CFI_CFA,
	CFI_MEM_SP, CFI_MEM_FP,
	CFI_OTHER,		/* depends on a register that is not followed */
};

/* How the caller's value of a register is found. */
enum cfi_how {
	CFI_SAME,		/* the callee did not touch it */
	CFI_UNDEFINED,		/* there is none: for the return address, the outermost frame */
	CFI_AT_CFA,		/* saved at cfa + offset */
	CFI_AT_FP,		/* saved at fp + offset */
	CFI_AT_SP,		/* saved at sp + offset */
	CFI_REGISTER,		/* in the register whose number is the offset */
	CFI_LOST,		/* saved in a way that is not tracked */
};

struct cfi_value {
	int64_t offset;
	enum cfi_base base;
};

#define CFI_NO_REGISTER	255u

struct cfi_row {
	int32_t cfa_offset, fp_offset, ra_offset;
	uint8_t cfa_base;	/* enum cfi_base: SP, FP, MEM_SP, MEM_FP or OTHER */
	uint8_t cfa_register;	/* of OTHER: the CFA is this one (its DWARF number) + cfa_offset, if any */
	uint8_t sp_register;	/* the caller's sp is in this one; CFI_NO_REGISTER: it is the CFA, as ever */
	uint8_t fp_how, ra_how;	/* enum cfi_how */
	bool signal;		/* a signal frame: the caller was interrupted, it did not call */
};

/* The row that holds at address `at` (a return address minus 1, or an interrupted pc).
 * 0; -ENOENT: no entry covers it; -EBADMSG: damaged; -ENOTSUP: not understood. */
int cfi_find(const struct cfi_tables *tables, uintptr_t at, struct cfi_row *row);

/* The same, but fp_how and fp_offset are about register `reg` (its DWARF number). */
int cfi_find_register(const struct cfi_tables *tables, uintptr_t at, unsigned reg, struct cfi_row *row);

/* The entry at `at` of a readable .eh_frame: whether it is a function's, and which; and where the next
 * one begins.  0: this was the last. */
struct cfi_entry {
	uintptr_t start, size;		/* 0: not a function's */
};
uintptr_t cfi_next(const struct cfi_tables *tables, uintptr_t at, struct cfi_entry *entry);

/* End of the readable segment that holds `at`, or 0. */
uintptr_t cfi_readable_end(const struct cfi_tables *tables, uintptr_t at);

#endif
