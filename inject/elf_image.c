/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laying an object out, and its relocations. */
#include "inject/elf_image.h"

#include "base/alloc.h"
#include "inject/cpu_relocations.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE		4096ull
#define IMAGE_MAX	(64ull << 20)
#define SEGMENTS_MAX	32u

/* What PT_DYNAMIC tells, as offsets into the image. */
struct tables {
	uint64_t symbols, strings, strings_size, rela, rela_size, plt, plt_size, relr, relr_size;
};

static bool within(uint64_t start, uint64_t size, uint64_t limit)
{
	return start <= limit && size <= limit - start;
}

static int refuse(const char **why, const char *text)
{
	*why = text;
	return -ENOEXEC;
}

static int protection_of(uint32_t flags)
{
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) | (flags & PF_X ? PROT_EXEC : 0);
}

static int add_part(struct elf_image *m, uint64_t start, uint64_t end, int protection)
{
	if (start >= end)
		return 0;
	if (m->part_count == ELF_IMAGE_PARTS)
		return -ENOEXEC;
	m->parts[m->part_count++] = (struct elf_part){ start, end - start, protection };
	return 0;
}

static int add_segment(struct elf_image *m, const Elf64_Phdr *s, uint64_t read_only_end)
{
	uint64_t start = s->p_vaddr & ~(PAGE - 1), end = (s->p_vaddr + s->p_memsz + PAGE - 1) & ~(PAGE - 1);
	int protection = protection_of(s->p_flags), rc;

	if (!(s->p_flags & PF_W) || read_only_end <= start || read_only_end > end)
		return add_part(m, start, end, protection);
	/* The loader would protect this part when it has relocated it; here it is relocated already. */
	rc = add_part(m, start, read_only_end, PROT_READ);
	return rc ? rc : add_part(m, read_only_end, end, protection);
}

static int lay_out(struct elf_image *m, const uint8_t *file, size_t size, const Elf64_Phdr *segments,
		   unsigned count, const char **why)
{
	uint64_t read_only_end = 0;

	for (unsigned k = 0; k < count; k++) {
		const Elf64_Phdr *s = &segments[k];
		uint64_t end = s->p_vaddr + s->p_memsz;

		if (s->p_type == PT_TLS)
			return refuse(why, "it has thread-local variables");
		if (s->p_type == PT_INTERP)
			return refuse(why, "it is a program");
		if (s->p_type == PT_GNU_RELRO)
			read_only_end = end & ~(PAGE - 1);
		if (s->p_type == PT_LOAD && (!within(s->p_offset, s->p_filesz, size) || s->p_filesz > s->p_memsz ||
					     !within(s->p_vaddr, s->p_memsz, IMAGE_MAX)))
			return refuse(why, "its segments are damaged");
		if (s->p_type == PT_LOAD && end > m->size)
			m->size = end;
	}
	m->size = (m->size + PAGE - 1) & ~(PAGE - 1);
	if (!m->size)
		return refuse(why, "it has no segments");
	m->bytes = xcalloc(1, m->size);
	for (unsigned k = 0; k < count; k++) {
		const Elf64_Phdr *s = &segments[k];

		if (s->p_type != PT_LOAD)
			continue;
		memcpy(m->bytes + s->p_vaddr, file + s->p_offset, s->p_filesz);
		if (add_segment(m, s, read_only_end) != 0)
			return refuse(why, "it has too many segments");
	}
	return 0;
}

int elf_image_load(struct elf_image *m, const uint8_t *file, size_t size, const char **why)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Ehdr header;
	int rc;

	memset(m, 0, sizeof(*m));
	if (size < sizeof(header))
		return refuse(why, "it is no ELF file");
	memcpy(&header, file, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_type != ET_DYN || header.e_machine != CPU_MACHINE)
		return refuse(why, "it is no shared object of this CPU");
	if (header.e_phentsize != sizeof(*segments) || header.e_phnum > SEGMENTS_MAX ||
	    !within(header.e_phoff, header.e_phnum * sizeof(*segments), size))
		return refuse(why, "its headers are damaged");
	memcpy(segments, file + header.e_phoff, header.e_phnum * sizeof(*segments));
	rc = lay_out(m, file, size, segments, header.e_phnum, why);
	if (rc)
		elf_image_release(m);
	return rc;
}

void elf_image_release(struct elf_image *m)
{
	free(m->bytes);
	m->bytes = NULL;
	m->part_count = 0;
}

/* Through the image's own headers, which are its first page. */
static int find_tables(const struct elf_image *m, struct tables *t)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment = { 0 };
	Elf64_Dyn entry;

	memset(t, 0, sizeof(*t));
	memcpy(&header, m->bytes, sizeof(header));
	for (unsigned k = 0; k < header.e_phnum; k++) {
		if (!within(header.e_phoff + k * sizeof(segment), sizeof(segment), m->size))
			return -ENOEXEC;
		memcpy(&segment, m->bytes + header.e_phoff + k * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_DYNAMIC)
			break;
		segment.p_memsz = 0;
	}
	if (!within(segment.p_vaddr, segment.p_memsz, m->size))
		return -ENOEXEC;
	for (uint64_t at = 0; at + sizeof(entry) <= segment.p_memsz; at += sizeof(entry)) {
		memcpy(&entry, m->bytes + segment.p_vaddr + at, sizeof(entry));
		switch (entry.d_tag) {
		case DT_SYMTAB: t->symbols = entry.d_un.d_ptr; break;
		case DT_STRTAB: t->strings = entry.d_un.d_ptr; break;
		case DT_STRSZ: t->strings_size = entry.d_un.d_val; break;
		case DT_RELA: t->rela = entry.d_un.d_ptr; break;
		case DT_RELASZ: t->rela_size = entry.d_un.d_val; break;
		case DT_JMPREL: t->plt = entry.d_un.d_ptr; break;
		case DT_PLTRELSZ: t->plt_size = entry.d_un.d_val; break;
		case CPU_DT_RELR: t->relr = entry.d_un.d_ptr; break;
		case CPU_DT_RELRSZ: t->relr_size = entry.d_un.d_val; break;
		}
	}
	return within(t->strings, t->strings_size, m->size) && within(t->rela, t->rela_size, m->size) &&
	       within(t->plt, t->plt_size, m->size) && within(t->relr, t->relr_size, m->size) ? 0 : -ENOEXEC;
}

/* The symbol's address; 0: a weak one that nobody has. */
static int symbol_value(const struct elf_image *m, const struct tables *t, uint64_t index, uint64_t base,
			elf_image_want *want, void *argument, uint64_t *value, const char **why)
{
	Elf64_Sym symbol;
	const char *name;

	if (index == 0) {
		*value = 0;
		return 0;
	}
	if (!within(t->symbols, (index + 1) * sizeof(symbol), m->size))
		return refuse(why, "its symbols are damaged");
	memcpy(&symbol, m->bytes + t->symbols + index * sizeof(symbol), sizeof(symbol));
	if (symbol.st_shndx != SHN_UNDEF) {
		*value = base + symbol.st_value;
		return 0;
	}
	if (symbol.st_name >= t->strings_size)
		return refuse(why, "its names are damaged");
	name = (const char *)m->bytes + t->strings + symbol.st_name;
	if (!memchr(name, '\0', t->strings_size - symbol.st_name))
		return refuse(why, "its names are damaged");
	*value = want ? want(name, argument) : 0;
	if (!*value && ELF64_ST_BIND(symbol.st_info) != STB_WEAK)
		return refuse(why, "it needs a symbol that the program has not");
	return 0;
}

static int relocate_table(struct elf_image *m, const struct tables *t, uint64_t start, uint64_t size,
			  uint64_t base, elf_image_want *want, void *argument, const char **why)
{
	Elf64_Rela r;

	for (uint64_t at = 0; at + sizeof(r) <= size; at += sizeof(r)) {
		uint64_t value;
		int rc;

		memcpy(&r, m->bytes + start + at, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) == CPU_R_NONE)
			continue;
		if (!within(r.r_offset, 8, m->size))
			return refuse(why, "its relocations are damaged");
		switch (ELF64_R_TYPE(r.r_info)) {
		case CPU_R_RELATIVE:
			value = base + (uint64_t)r.r_addend;
			break;
		case CPU_R_64:
		case CPU_R_GLOB_DAT:
		case CPU_R_JUMP_SLOT:
			rc = symbol_value(m, t, ELF64_R_SYM(r.r_info), base, want, argument, &value, why);
			if (rc)
				return rc;
			if (ELF64_R_TYPE(r.r_info) == CPU_R_64)
				value += (uint64_t)r.r_addend;
			break;
		default:
			return refuse(why, "it has relocations of a kind that only a loader can do");
		}
		memcpy(m->bytes + r.r_offset, &value, 8);
	}
	return 0;
}

static void add_base(struct elf_image *m, uint64_t at, uint64_t base)
{
	uint64_t value;

	if (!within(at, 8, m->size))
		return;
	memcpy(&value, m->bytes + at, 8);
	value += base;
	memcpy(m->bytes + at, &value, 8);
}

/* Packed relative relocations: an address, then words of 63 bits for those that follow it. */
static void relocate_packed(struct elf_image *m, uint64_t start, uint64_t size, uint64_t base)
{
	uint64_t where = 0;

	for (uint64_t at = 0; at + 8 <= size; at += 8) {
		uint64_t entry;

		memcpy(&entry, m->bytes + start + at, 8);
		if ((entry & 1) == 0) {
			add_base(m, entry, base);
			where = entry + 8;
			continue;
		}
		for (unsigned bit = 0; entry >>= 1; bit++)
			if (entry & 1)
				add_base(m, where + bit * 8ull, base);
		where += 63 * 8;
	}
}

int elf_image_relocate(struct elf_image *m, uint64_t base, elf_image_want *want, void *argument,
		       const char **why)
{
	struct tables t;
	int rc;

	if (find_tables(m, &t) != 0)
		return refuse(why, "its dynamic section is damaged");
	relocate_packed(m, t.relr, t.relr_size, base);
	rc = relocate_table(m, &t, t.rela, t.rela_size, base, want, argument, why);
	return rc ? rc : relocate_table(m, &t, t.plt, t.plt_size, base, want, argument, why);
}
