/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One loaded object's dynamic section, read in place. */
#ifndef HOOK_ELF_SYMBOL_H
#define HOOK_ELF_SYMBOL_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* Address of a function that the object defines and exports; the default version if there are
 * several, an old (hidden) one only if there is no other.  NULL when it has none. */
void *elf_symbol(const struct link_map *object, const char *name);

/* Does it define one of these functions, name(0) and on up to NULL?  Nothing of it runs. */
bool elf_defines(const struct link_map *object, const char *(*name)(size_t n));

/* DT_SONAME, NULL without one; the n-th DT_NEEDED, NULL behind the last. They live in the
 * object's string table: as long as it stays loaded. */
const char *elf_soname(const struct link_map *object);
const char *elf_needed(const struct link_map *object, size_t n);

/* What the object imports by name; relative relocations (DT_RELR too) are none of that. */
struct elf_imports {
	const ElfW(Sym) *symbols;
	const char *strings;
	const ElfW(Rela) *relocations[2];	/* data, procedure linkage */
	size_t count[2];
};

bool elf_imports(const struct link_map *object, struct elf_imports *imports);

#endif
