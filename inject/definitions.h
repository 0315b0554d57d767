/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every definition of a list of functions in a running process: libc's, the program's own, those of other
 * allocators, of a second libc that dlmopen brought in.  Read from outside; nothing is stopped.
 *
 * Left out are ld.so's own minimal malloc, which only serves before libc is there, so all of its but
 * _dl_debug_state, and memtrack's own functions.  A hidden function of such a name counts only as part of an allocator: many programs have a
 * static free() that frees something else. */
#ifndef INJECT_DEFINITIONS_H
#define INJECT_DEFINITIONS_H

#include "inject/process.h"
#include "symbols/elf.h"

struct definition {
	size_t *names;			/* indexes in the list of names, ascending: all that are at this address */
	size_t name_count;
	uint64_t address;
	uint64_t size;			/* 0: unknown */
	const char *object;		/* as the target names the file */
	uint64_t bias;			/* of the object: address - the file's vaddr */
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t build_id_len;		/* 0: none */
	uint8_t *code;			/* the function as the file has it, or its beginning */
	size_t code_length;
	const char *skip;		/* why it cannot be patched (static text); NULL */
};

struct definitions {
	struct definition *items;	/* by address, each address once */
	size_t count, capacity;
	char **objects;			/* what the items' names point to */
	size_t object_count, object_capacity;
};

/* names are symbols; which is the first row of several at one address is for the caller.  0 or -errno. */
int definitions_find(struct injection *, const char *const *names, size_t count, struct definitions *,
		     char reason[INJECTION_REASON]);

void definitions_release(struct definitions *);

#endif
