/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for code addresses from what is mapped anyway: an object's own .dynsym. */
#ifndef HOOK_LOG_SYMBOL_H
#define HOOK_LOG_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

struct module;

/* The exported function whose extent holds address `at` of this object, mangled; *offset counts
 * from its start. NULL when there is none. The object must stay loaded during the call. */
const char *log_symbol(const struct module *m, uintptr_t at, uint64_t *offset);

/* Where in its file address `at` is; its distance from the load bias if no segment says. */
uint64_t log_file_offset(const struct module *m, uintptr_t at);

#endif
