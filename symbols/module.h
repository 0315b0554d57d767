/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Address -> function, inlined functions, file and line, for one ELF object.
 *
 * Functions come from symbol tables (own sorted table), lines and inlines from DWARF (libdw), which
 * is opened at the first look-up and cached per compilation unit within a memory budget.  Nothing
 * is ever fetched from a network.  A module is used by one thread at a time.  Look addresses up in
 * ascending order where there are many: a huge file's cache is then filled once, not over and over.
 *
 *	struct symbol_source from = { .path = "/usr/lib/libfoo.so", .pid = pid, ... };
 *	struct symbol_module *module = symbol_module_open(&from);
 *	symbol_resolve(module, pc - 1 - bias, &result);
 *	symbol_module_close(module);
 */
#ifndef SYMBOLS_MODULE_H
#define SYMBOLS_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Where an object may be found.  Zeroed fields mean "not known".  All is copied. */
struct symbol_source {
	const char *path;		/* as the target names it; a trailing " (deleted)" is understood */
	pid_t pid;			/* tried first: /proc/PID/map_files, /proc/PID/root + path */
	bool executable;		/* the program itself: /proc/PID/exe */
	uint64_t map_start, map_end;	/* any one file mapping of it, exactly as in /proc/PID/maps */
	const uint8_t *build_id;	/* raw bytes; a file with another build-id is refused */
	size_t build_id_len;
	uint64_t inode;			/* as in /proc/PID/maps: the check where there is no build-id */
	struct timespec since;		/* without either: a file that changed after that (real time) is refused */
	const char *symbols_from;	/* more debug directories or sysroots, colon-separated */
};

enum symbol_state {
	SYMBOL_MODULE_OK,		/* function names at least */
	SYMBOL_MODULE_STRIPPED,		/* found, but it has no symbols but exported ones, if any */
	SYMBOL_MODULE_CHANGED,		/* the file there now is another one than was loaded */
	SYMBOL_MODULE_MISSING,		/* no file */
	SYMBOL_MODULE_DAMAGED,		/* not a usable ELF file */
};

#define SYMBOL_FRAMES_MAX	128u

struct symbol_frame {
	const char *function;		/* demangled; NULL: unknown */
	const char *raw;		/* linkage name, as in the file; NULL: unknown */
	const char *file;		/* source file, absolute when known; NULL: unknown */
	unsigned line;			/* 0: unknown.  For an outer frame: the line of the inlined call */
};

/* Frames innermost inline first; the last one is the function that was really called.
 * All strings live until the next symbol_resolve of the same module or its close. */
struct symbol_result {
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t count;			/* 0: nothing is known */
	const char *symbol;		/* ELF symbol, mangled; where there is none DWARF's name; or NULL */
	uint64_t offset;		/* of the address in symbol */
	bool guess;			/* symbol has no size: the nearest before, nothing better is known */
};

/* Never NULL: a module that could not be found resolves nothing, and says why by its state. */
struct symbol_module *symbol_module_open(const struct symbol_source *);
void symbol_module_close(struct symbol_module *);

/* vaddr as in the file (address - bias); callers have subtracted 1 from return addresses.
 * 0: something is known; -ENOENT: nothing (result is emptied). */
int symbol_resolve(struct symbol_module *, uint64_t vaddr, struct symbol_result *);

/* The raw name and offset alone, without DWARF; the same strings' life. -ENOENT: none. */
int symbol_name(struct symbol_module *, uint64_t vaddr, const char **raw, uint64_t *offset, bool *guess);

/* Reads the functions, so that others may share them. */
void symbol_module_load(struct symbol_module *);

/* Would symbol_module_share give one? */
bool symbol_module_splits(const struct symbol_module *);

/* The same object for one more thread: files and functions are shared with the loaded module, which
 * must outlive it, what is read of DWARF is not.  NULL: there is no DWARF, it would not pay. */
struct symbol_module *symbol_module_share(const struct symbol_module *);

/* A hash of what answers depend on beside the build-id; 0: there is none, or no file. */
uint64_t symbol_module_identity(const struct symbol_module *);

/* False once something was missing that may be there another time: an answer may be short of it. */
bool symbol_module_complete(const struct symbol_module *);

enum symbol_state symbol_module_state(const struct symbol_module *);

/* One line for people when something is missing ("no symbols for X", "X changed since it was
 * loaded", "X: split DWARF file foo.dwo not found"), else NULL.  May only be known after
 * look-ups; lives until it is asked for again. */
const char *symbol_module_hint(struct symbol_module *);

/* The files in use; NULL when none.  They live as long as the module. */
const char *symbol_module_file(const struct symbol_module *);
const char *symbol_module_debug_file(const struct symbol_module *);

/* Build-id of the file in use; the length, 0 when it has none. */
size_t symbol_module_build_id(const struct symbol_module *, const uint8_t **id);

/* vaddr -> offset in the file, for BINARY(+0xFILEOFFSET).  -ENOENT when it is in no PT_LOAD. */
int symbol_module_offset(const struct symbol_module *, uint64_t vaddr, uint64_t *offset);

/* Load bias from one mapping, see elf_bias. */
int symbol_module_bias(const struct symbol_module *, uint64_t start, uint64_t offset, bool executable,
		       uint64_t *bias);

#endif
