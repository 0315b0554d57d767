/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects that the target's loader knows, read from its own list in memory, and their symbols.
 *
 * The first namespace only, so a second libc (dlmopen) is never taken for the program's. */
#ifndef INJECT_OBJECTS_H
#define INJECT_OBJECTS_H

#include "base/vector.h"
#include "inject/process.h"

struct object {
	uint64_t bias;			/* address = vaddr + bias */
	uint64_t dynamic;		/* its dynamic section; 0: it has none */
	uint64_t loaded;		/* where its first page is; 0: not known */
	char name[64];			/* last part of the path; "" for the program */
	/* from the dynamic section: addresses, 0 where there is none */
	uint64_t symbols, strings, gnu_hash, hash;
};

VECTOR_STRUCT(object_list, struct object);

/* The program itself is the first.  -ENOENT: it is static; -EAGAIN: its loader is not ready yet.
 * *objects is to be released with vector_release, always. */
int objects_read(struct injection *, struct object_list *);

/* One object by its place: the address of its ELF header. */
int object_at(struct injection *, uint64_t header, struct object *);

/* Address of a defined symbol that others may use.  -ENOENT. */
int object_symbol(struct injection *, const struct object *, const char *name, uint64_t *address);

/* The same with the symbol's size. */
int object_function(struct injection *, const struct object *, const char *name, uint64_t *address,
		    uint64_t *size);

/* Of the first object that has it. */
int objects_symbol(struct injection *, const struct object_list *, const char *name, uint64_t *address);

/* "libc.so.6", "libc-2.31.so"; musl's, which is also its loader; glibc's loader. */
bool object_is_glibc(const char *name);
bool object_is_musl(const char *name);
bool object_is_loader(const char *name);

/* A value of the auxiliary vector; 0: there is none. */
uint64_t auxiliary_value(const struct injection *, uint64_t type);

#endif
