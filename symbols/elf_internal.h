/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the elf_*.c files share. */
#ifndef SYMBOLS_ELF_INTERNAL_H
#define SYMBOLS_ELF_INTERNAL_H

#include "base/vector.h"
#include "symbols/elf.h"

#include <gelf.h>

/* A larger symbol or string table is a forgery (a sparse file can claim anything). */
#define ELF_TABLE_MAX		(1ull << 30)

struct elf_segment {
	uint64_t offset, vaddr, file_size, mem_size;
	bool execute;
};

/* strings[strings_len - 1] is a NUL, or strings_len is 0. */
struct elf_symbol_table {
	Elf_Data *symbols;		/* NULL: none */
	const char *strings;
	size_t strings_len;
	size_t count;
	Elf_Data *versions;		/* NULL: none */
};

struct elf_dynamic {
	bool loaded;
	VECTOR(uint64_t) needed;	/* offsets into strings */
	uint64_t soname, rpath, runpath; /* offset + 1; 0: none */
	uint64_t symtab, strtab, strsz, hash, gnu_hash, versym;
	uint64_t rela, rela_size, plt, plt_size; /* relocations; those of the PLT */
	const char *strings;		/* once elf_dynamic_strings was asked for them */
	size_t strings_len;
};

struct elf_file {
	int fd;
	uint64_t size;
	Elf *elf;
	GElf_Ehdr header;
	struct elf_header_facts facts;
	VECTOR(struct elf_segment) segments;
	uint64_t dynamic_offset, dynamic_size;
	struct elf_dynamic dynamic;
	bool tables_loaded;
	struct elf_symbol_table tables[2]; /* .dynsym, .symtab */
};

/* Bytes of the file as type, in memory's byte order; NULL when they are not all there. */
Elf_Data *elf_chunk(struct elf_file *, uint64_t offset, uint64_t size, Elf_Type);

/* The first section of that name with bytes in the file; NULL: none. */
Elf_Scn *elf_find_section(struct elf_file *, const char *name, GElf_Shdr *);

/* Reads PT_DYNAMIC once. */
const struct elf_dynamic *elf_dynamic(struct elf_file *);

/* .dynsym, by section headers or without; symbols is NULL when there is none. */
const struct elf_symbol_table *elf_dynsym(struct elf_file *);

/* The name of a symbol, NULL: it has none.  sym is filled in. */
const char *elf_read_symbol(const struct elf_symbol_table *, size_t index, GElf_Sym *sym);

/* The string table of PT_DYNAMIC, clipped; NULL: none. */
const char *elf_dynamic_strings(struct elf_file *, size_t *length);

/* Clips a string table behind its last NUL. */
size_t elf_strings_clip(const char *strings, size_t len);

#endif
