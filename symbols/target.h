/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts about a program before it is started, or about a live process, that decide how it can be
 * traced. */
#ifndef SYMBOLS_TARGET_H
#define SYMBOLS_TARGET_H

#include "symbols/elf.h"

#include <stdbool.h>
#include <sys/types.h>

#define TARGET_PATH_MAX		4096u

enum target_kind {
	TARGET_ELF,
	TARGET_SCRIPT,			/* #! line; the other facts are the interpreter's */
	TARGET_OTHER,			/* neither: the shell or binfmt_misc may know */
};

enum target_sanitizer {
	TARGET_SANITIZER_NONE,
	TARGET_SANITIZER_ADDRESS,
	TARGET_SANITIZER_THREAD,
	TARGET_SANITIZER_MEMORY,
	TARGET_SANITIZER_LEAK,
	TARGET_SANITIZER_HWADDRESS,
};

struct target_facts {
	enum target_kind kind;
	char path[TARGET_PATH_MAX];	/* the ELF file the facts are of */
	char script[TARGET_PATH_MAX];	/* the script, when kind is TARGET_SCRIPT */
	char script_argument[256];	/* the one argument a #! line may have */
	struct elf_header_facts elf;	/* valid unless kind is TARGET_OTHER */
	bool setuid, setgid;		/* the bit is set and would change the caller's ids */
	bool capabilities;		/* file capabilities */
	bool secure;			/* any of these: the dynamic linker ignores LD_PRELOAD */
	bool is_go;			/* a Go program: has its own allocator */
	enum target_sanitizer sanitizer;
	bool own_malloc;		/* malloc is defined before libc's: by the program or a library */
	const char *inner_malloc;	/* a function of an allocator inside the program that others do not
					 * see (malloc, mi_malloc ...); static; NULL: none */
	bool own_operators;		/* see target_own_operators */
	char malloc_in[256];		/* by which: the library's name, or empty for the program itself */
};

/* The file that execvp(command) would run.  path holds TARGET_PATH_MAX bytes.  -ENOENT, -EACCES. */
int target_search(const char *command, char *path);

/* 0, or -errno when the file cannot be read (a program may be executable but not readable:
 * -EACCES). */
int target_inspect(const char *path, struct target_facts *);

/* The same for a live process, from /proc/PID/exe and the libraries that are mapped. */
int target_inspect_process(pid_t, struct target_facts *);

/* Whether the program at path has operators new or delete linked into it (-static-libstdc++), which
 * nobody else sees.  A stripped one does not tell: false; so when it cannot be read. */
bool target_own_operators(const char *path);

/* What symbol tables say, by file: they take long to read where they are large. */
struct target_memory {
	bool (*recall)(void *owner, uint64_t file, uint64_t *says);
	void (*keep)(void *owner, uint64_t file, uint64_t says);
	void *owner;
};

/* From now on for all of the above; NULL: none.  *memory must live as long. */
void target_remember(const struct target_memory *memory);

/* "asan" and so on; NULL for none. */
const char *target_sanitizer_name(enum target_sanitizer);

#endif
