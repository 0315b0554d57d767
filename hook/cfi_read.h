/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounded reading of DWARF data: a cursor that turns bad instead of leaving its bytes. */
#ifndef HOOK_CFI_READ_H
#define HOOK_CFI_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/cfi.h"

struct cfi_cursor {
	const uint8_t *at, *end;
	bool bad;		/* a read went past the end, or met what it does not know */
};

/* Pointer encodings: format in the low nibble, what it is relative to above. */
enum {
	PE_ABSPTR = 0x00, PE_ULEB128 = 0x01, PE_UDATA2 = 0x02, PE_UDATA4 = 0x03, PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09, PE_SDATA2 = 0x0a, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10, PE_TEXTREL = 0x20, PE_DATAREL = 0x30, PE_FUNCREL = 0x40,
	PE_ALIGNED = 0x50, PE_INDIRECT = 0x80, PE_OMIT = 0xff,
};

uint64_t cfi_read_fixed(struct cfi_cursor *c, unsigned bytes);
uint64_t cfi_read_uleb(struct cfi_cursor *c);
int64_t cfi_read_sleb(struct cfi_cursor *c);
void cfi_skip(struct cfi_cursor *c, uint64_t bytes);

/* A pointer in `encoding`; `data` is the base of PE_DATAREL.  PE_INDIRECT is not followed. */
uint64_t cfi_read_encoded(struct cfi_cursor *c, uint8_t encoding, uintptr_t data);

/* Evaluates a DWARF expression without registers' values: the result says how to get it.
 * `start` is what the expression's stack holds at first (CFI_CFA for register rules), pc the
 * value of the instruction pointer.  base is CFI_OTHER when it cannot be said so. */
struct cfi_value cfi_evaluate(struct cfi_cursor expression, enum cfi_base start, uintptr_t pc);

#endif
