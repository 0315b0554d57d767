/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where rows come from: the rules of call frame information, interned. */
#ifndef HOOK_ROWS_MAKE_H
#define HOOK_ROWS_MAKE_H

#include <stddef.h>
#include <stdint.h>

struct rule;

size_t rules_reserve_bytes(void);
void rules_init(void *reserved);
void rules_forget(void);

/* The rule "no unwind information", in *scratch. */
const struct rule *rules_none(struct rule *scratch);

/* Reads the unwind tables for `at`. The number of its rule; 0: it may not be kept (unknown code,
 * an object that another thread is just publishing) and *scratch has it. */
uint32_t rows_make(uintptr_t at, struct rule *scratch);

#endif
