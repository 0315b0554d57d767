/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One compilation unit: its functions, their inlined calls, its lines. */
#ifndef SYMBOLS_DWARF_UNIT_H
#define SYMBOLS_DWARF_UNIT_H

#include "symbols/dwarf.h"
#include "symbols/spans.h"

#include <elfutils/libdw.h>

/* A function or a call inlined into it. */
struct dwarf_scope {
	Dwarf_Die die;
	uint32_t parent;		/* SPAN_NONE: this is the function itself */
	bool named;			/* raw and function are known */
	uint32_t raw, function;
	uint32_t call_file, call_line;
};

struct dwarf_function {
	Dwarf_Die die;
	uint64_t start;
	bool loaded;
	VECTOR(struct dwarf_scope) scopes; /* [0] is the function */
	struct span_index index;	/* address -> scope */
};

struct dwarf_unit {
	Dwarf_Die die;			/* with the lines */
	Dwarf_Die code;			/* with the functions: of the .dwo file, when there is one */
	uint8_t type;			/* DW_UT_* */
	bool loaded, deep, lines_loaded, files_loaded;
	VECTOR(struct dwarf_function) functions;
	struct span_index index;	/* address -> function */
	struct span_list spans;		/* what index was made from */
	Dwarf_Lines *lines;
	size_t line_count;
	Dwarf_Files *files;
	size_t file_count;
};

/* Adds the address ranges of die; neighbours are merged.  *budget spans are left. */
void dwarf_add_ranges(Dwarf_Die *die, const struct elf_file *code, uint32_t value, uint32_t rank,
		      struct span_list *, size_t *budget);

/* The function at vaddr; NULL: none.  *cost grows by the memory taken. */
struct dwarf_function *dwarf_unit_function(struct dwarf_unit *, const struct elf_file *code, uint64_t vaddr,
					   size_t *cost);

/* The innermost scope of f at vaddr. */
uint32_t dwarf_function_scope(struct dwarf_function *f, const struct elf_file *code, uint64_t vaddr,
			      size_t *cost);

void dwarf_scope_name(struct dwarf_scope *, struct names *);

/* File and line of vaddr; false: none. */
bool dwarf_unit_line(struct dwarf_unit *, uint64_t vaddr, const char **file, unsigned *line, size_t *cost);

/* The unit's file number `number`, as DW_AT_call_file has it; NULL: none. */
const char *dwarf_unit_file(struct dwarf_unit *, uint32_t number, size_t *cost);

void dwarf_unit_release(struct dwarf_unit *);

#endif
