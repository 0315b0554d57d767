/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DWARF of one file through libdw: lines and inlined functions, found lazily unit by unit. */
#ifndef SYMBOLS_DWARF_H
#define SYMBOLS_DWARF_H

#include "symbols/elf.h"
#include "symbols/names.h"

/* The cache is thrown away and begun anew when it may have grown beyond this. */
#define DWARF_CACHE_MAX		(256u << 20)

struct dwarf_file;

struct dwarf_frame {
	uint32_t raw, function, file;	/* ids in names; 0: unknown */
	unsigned line;
};

/* file was found to hold DWARF; path is its name.  alt_path: its dwz file, or NULL.  Lines and inlines count only
 * inside executable segments of code, which must outlive the result, as must names.  Never NULL;
 * what cannot be read answers nothing. */
struct dwarf_file *dwarf_file_new(const struct elf_file *file, const char *path, const char *alt_path,
				  const struct elf_file *code);
void dwarf_file_free(struct dwarf_file *);

/* Frames at vaddr, innermost first, at most max.  Returns their number; 0: nothing known.  A line
 * without a function gives one frame without names.  *start: the outermost function's first
 * address, 0 when unknown. */
size_t dwarf_resolve(struct dwarf_file *, struct names *, uint64_t vaddr, struct dwarf_frame *frames,
		     size_t max, uint64_t *start);

/* Frees all that is cached (name ids with it). */
void dwarf_forget(struct dwarf_file *);

/* The file was cut while in use: it must not be touched any more. */
void dwarf_give_up(struct dwarf_file *);

/* False once the file on disk is no longer what was opened. */
bool dwarf_intact(const struct dwarf_file *);

/* One line for people, or NULL; lives as long as the file. */
const char *dwarf_hint(const struct dwarf_file *);

#endif
