/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loaded ELF objects, read in place. */
#ifndef HOOK_MODULES_ELF_H
#define HOOK_MODULES_ELF_H

#include <stdbool.h>
#include <stdint.h>

struct module;

/* The loaded object that holds `at`: fills in start, end, bias, link_map and name.
 * Asks the C library's _dl_find_object where there is one (glibc 2.35), else walks the link map,
 * which is only done while the loader says that it is consistent. */
bool modules_locate(uintptr_t at, struct module *m);

/* Fills in tables and build-id of a located object from its ELF header and program headers. */
bool modules_read_headers(struct module *m);

#endif
