/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loaded ELF objects, read in place. */
#ifndef HOOK_MODULES_ELF_H
#define HOOK_MODULES_ELF_H

#include <stdbool.h>
#include <stdint.h>

struct module;

/* The loaded object that holds `at`: fills in start, end, bias, link_map and name.
 * Asks the C library's _dl_find_object where there is one (glibc 2.35), else walks the link map,
 * but not while the loader is taking objects away: those may be unmapped already. */
bool modules_locate(uintptr_t at, struct module *m);

/* The executable, for programs that have no list of objects: its ELF header and bias.  What
 * hook/cfi_frames.h knows is its. */
void modules_set_program(uintptr_t header, uintptr_t bias);

/* The loader's list of objects; NULL: not to be had. */
struct r_debug;
const struct r_debug *modules_debug(void);

/* Did modules_locate not look just now, for that reason? */
bool modules_unsure(void);

/* Fills in tables and build-id of a located object from its ELF header and program headers. */
bool modules_read_headers(struct module *m);

/* The pages of a located object that the loader makes read-only once it is bound; empty: none. */
void modules_relro(const struct module *m, uintptr_t *low, uintptr_t *high);

#endif
