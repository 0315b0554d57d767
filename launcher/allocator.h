/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose malloc a process calls: the C library's, another library's, its own. */
#ifndef LAUNCHER_ALLOCATOR_H
#define LAUNCHER_ALLOCATOR_H

#include <stdbool.h>
#include <sys/types.h>

enum allocator_where {
	ALLOCATOR_LIBC,		/* or not known */
	ALLOCATOR_LIBRARY,	/* linked or preloaded: the hook is before it and sees all */
	ALLOCATOR_PROGRAM,	/* the program's malloc is everybody's: the hook is behind it */
	ALLOCATOR_INSIDE,	/* the program has another one for itself */
	ALLOCATOR_GO,		/* the runtime of Go */
};

struct allocator {
	enum allocator_where where;
	char name[256];		/* of the library or program, or of a function inside the program */
};

struct target_facts;

/* Spares allocator_find to read the file again. */
void allocator_learn(const struct target_facts *facts);

/* Looks at the ELF files of the image exe that runs, or ran, as pid.  Remembers the last few. */
void allocator_find(struct allocator *allocator, pid_t pid, const char *exe);

/* As the fact "allocator-in" has it: "libc", "library", "program", "inside", "go". */
const char *allocator_where(const struct allocator *allocator);

/* Has the program that runs as pid operators new or delete inside it, which the hook does not see?
 * Asked while the program waits: reads its file only if it is not known. */
bool allocator_own_operators(pid_t pid);

#endif
