/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF files that a process has mapped as code, and what they define of a list of names. */
#ifndef INJECT_MAPPED_H
#define INJECT_MAPPED_H

#include "base/intern.h"
#include "base/vector.h"
#include "inject/process.h"
#include "symbols/elf.h"
#include "symbols/maps.h"

/* Names are an interned set. */
struct mapped_symbol {
	uint32_t name;			/* its id */
	uint64_t vaddr, size;
	bool guessed;			/* the size is only a bound */
	bool local;			/* nobody else sees it */
	bool indirect;			/* vaddr is the function that says the address */
};

struct mapped_object {
	struct elf_file *file;		/* NULL: cannot be read, see error */
	int error;
	char *path;			/* as the target names it */
	uint64_t inode;
	unsigned dev_major, dev_minor;
	bool ours, loader;		/* memtrack's own; glibc's dynamic linker */
	VECTOR(struct mapped_symbol) symbols;
	VECTOR(uint64_t) biases;	/* where it was seen */
};

struct mapped_objects {
	struct maps maps;
	VECTOR(struct mapped_object *) items;
};

/* All of them, with the symbols of these names (NULL: none are read, and nothing is known to be ours); such a file that is not memtrack's has biases, several if it is loaded several times.
 * 0 or -errno of reading the map. */
int mapped_read(struct injection *, const struct intern *names, struct mapped_objects *);
void mapped_release(struct mapped_objects *);

/* Whether the mapping is of that file. */
bool mapped_is(const struct mapped_object *, const struct map_entry *);

#endif
