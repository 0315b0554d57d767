/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One ELF file, read from outside: symbols' addresses, build-id, load bias, needed libraries.
 *
 * Nothing is mapped: a file that is cut short while it is open gives errors, not SIGBUS.  Every
 * field of the file is taken as hostile.  Foreign classes and byte orders are read too.
 */
#ifndef SYMBOLS_ELF_H
#define SYMBOLS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_MAX	64u

struct elf_file;

enum elf_libc { ELF_LIBC_NONE, ELF_LIBC_GLIBC, ELF_LIBC_MUSL, ELF_LIBC_OTHER };

/* What the headers say. */
struct elf_header_facts {
	int bits;			/* 32 or 64 */
	bool big_endian;
	unsigned machine;		/* EM_* */
	unsigned type;			/* ET_* */
	uint64_t entry;
	bool dynamic;			/* has PT_DYNAMIC */
	bool is_static;			/* a program without PT_INTERP that needs no library */
	bool native;			/* class, machine and byte order are memtrack's own */
	enum elf_libc libc;		/* by PT_INTERP's name */
	char interp[256];		/* empty without PT_INTERP */
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t build_id_len;		/* 0: none */
};

struct elf_symbol {
	uint64_t vaddr, size;
	unsigned type, binding;		/* STT_*, STB_* */
	bool dynamic;			/* from .dynsym */
};

/* Opens path, or takes a file descriptor over (it is closed by elf_file_close, and on failure).
 * 0, -errno of open and read, -ENOEXEC: not an ELF file. */
int elf_file_open(const char *path, struct elf_file **);
int elf_file_open_fd(int fd, struct elf_file **);
void elf_file_close(struct elf_file *);

/* Lives as long as the file. */
const struct elf_header_facts *elf_facts(const struct elf_file *);

/* The address (file vaddr) of a defined symbol: .dynsym first, the default version preferred,
 * then .symtab, global before local.  Works without section headers.  -ENOENT: none. */
int elf_find_symbol(struct elf_file *, const char *name, struct elf_symbol *);

/* Calls each(name, symbol, arg) for all defined symbols until it returns nonzero; returns that, or 0.
 * name lives as long as the file. */
typedef int elf_symbol_fn(const char *name, const struct elf_symbol *, void *arg);
int elf_each_symbol(struct elf_file *, elf_symbol_fn *each, void *arg);

/* Whether there is a .symtab (here, not in a separate debug file). */
bool elf_has_symtab(struct elf_file *);

/* Whether a section of that name has bytes in the file. */
bool elf_has_section(struct elf_file *, const char *name);

/* Where a section that is loaded lies: [*start, *end) in vaddrs.  -ENOENT: there is none. */
int elf_section_range(struct elf_file *, const char *name, uint64_t *start, uint64_t *end);

/* Whether .dynsym mentions name without defining it. */
bool elf_imports(struct elf_file *, const char *name);

/* A word of a loaded object that the dynamic linker fills in with an address. */
struct elf_relocation {
	uint64_t vaddr;			/* of the word */
	const char *symbol;		/* whose address; "": of vaddr `value` in the object itself */
	uint64_t value;			/* what is added to it */
	bool lazy;			/* may stand for the symbol at its first call only */
	bool indirect;			/* value is a function that says the address */
};

/* As elf_each_symbol, for those of native files. */
typedef int elf_relocation_fn(const struct elf_relocation *, void *arg);
int elf_each_relocation(struct elf_file *, elf_relocation_fn *each, void *arg);

/* DT_NEEDED number index, in the file's order; NULL behind the last.  Lives as long as the file.
 * The same for DT_SONAME, DT_RPATH and DT_RUNPATH, NULL when absent. */
const char *elf_needed(struct elf_file *, size_t index);
const char *elf_soname(struct elf_file *);
const char *elf_rpath(struct elf_file *);
const char *elf_runpath(struct elf_file *);

/* Load bias (address = vaddr + bias) from one mapping of the file: start and file offset as in
 * /proc/PID/maps.  Taken from the PT_LOAD that holds the offset, so it is right where p_offset
 * differs from p_vaddr.  executable: the mapping is.  Give a code mapping where there is one: a page
 * of data that two segments share is mapped twice, and nothing tells which is which.
 * -ENOENT: no PT_LOAD holds it. */
int elf_bias(const struct elf_file *, uint64_t start, uint64_t offset, bool executable, uint64_t *bias);

/* vaddr -> offset in the file, for uprobes and for BINARY(+0xFILEOFFSET), and back. */
int elf_vaddr_to_offset(const struct elf_file *, uint64_t vaddr, uint64_t *offset);
int elf_offset_to_vaddr(const struct elf_file *, uint64_t offset, uint64_t *vaddr);

/* The file's bytes for vaddr, as many as there are; 0 when there are none. */
size_t elf_read(const struct elf_file *, uint64_t vaddr, void *data, size_t size);

/* The executable segment that holds vaddr: [*start, *end).  -ENOENT: none does. */
int elf_code_range(const struct elf_file *, uint64_t vaddr, uint64_t *start, uint64_t *end);

/* Raw build-id bytes as lower-case hex; text holds 2 * len + 1. */
void elf_build_id_text(const uint8_t *id, size_t len, char *text);

#endif
