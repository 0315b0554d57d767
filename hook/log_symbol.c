/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Searching dynamic symbol tables by address. */
#include "hook/log_symbol.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>

#include "hook/memory.h"
#include "hook/modules.h"

struct symbols {
	const ElfW(Sym) *table;
	const char *strings;
	uint32_t first, end;
};

/* glibc relocates these pointers in place, musl and the vDSO do not. */
static const void *table_address(const struct link_map *object, uintptr_t value)
{
	return (const void *)(value < object->l_addr ? value + object->l_addr : value);
}

/* The table's size is told only by the hash tables: the chain of the last bucket ends it. */
static void measure_gnu(const uint32_t *hash, struct symbols *s)
{
	uint32_t buckets = hash[0], words = hash[2], last = 0;
	const uint32_t *bucket = hash + 4 + words * (sizeof(ElfW(Addr)) / 4), *chain = bucket + buckets;

	s->first = s->end = hash[1];
	for (uint32_t i = 0; i < buckets; i++) {
		if (bucket[i] > last)
			last = bucket[i];
	}
	if (last < s->first)
		return;
	while (!(chain[last - s->first] & 1))
		last++;
	s->end = last + 1;
}

static bool read_symbols(const struct link_map *object, struct symbols *s)
{
	const uint32_t *gnu = NULL, *sysv = NULL;

	*s = (struct symbols){ 0 };
	for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *p = table_address(object, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			s->table = p;
		else if (d->d_tag == DT_STRTAB)
			s->strings = p;
		else if (d->d_tag == DT_GNU_HASH)
			gnu = p;
		else if (d->d_tag == DT_HASH)
			sysv = p;
	}
	if (gnu)
		measure_gnu(gnu, s);
	else if (sysv)
		s->end = sysv[1];
	return s->table && s->strings && s->end;
}

static bool holds(const ElfW(Sym) *s, uintptr_t vaddr)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return vaddr - s->st_value < s->st_size && s->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* The order of preference of symbols/functions.c. */
static bool better(const struct symbols *s, const ElfW(Sym) *a, const ElfW(Sym) *b)
{
	bool global = ELF64_ST_BIND(a->st_info) == STB_GLOBAL;

	if (!b || a->st_value != b->st_value)
		return !b || a->st_value > b->st_value;
	if (global != (ELF64_ST_BIND(b->st_info) == STB_GLOBAL))
		return global;
	return hook_strlen(s->strings + a->st_name) < hook_strlen(s->strings + b->st_name);
}

const char *log_symbol(const struct module *m, uintptr_t at, uint64_t *offset)
{
	const struct link_map *object = m->link_map;
	const ElfW(Sym) *best = NULL;
	struct symbols s;

	if (!object || !read_symbols(object, &s))
		return NULL;
	for (uint32_t i = s.first; i < s.end; i++) {
		if (holds(&s.table[i], at - m->bias) && better(&s, &s.table[i], best))
			best = &s.table[i];
	}
	if (!best)
		return NULL;
	*offset = at - m->bias - best->st_value;
	return s.strings + best->st_name;
}

uint64_t log_file_offset(const struct module *m, uintptr_t at)
{
	uintptr_t start = m->start & ~(uintptr_t)4095, vaddr = at - m->bias;
	const ElfW(Ehdr) *e = (const void *)start;
	const ElfW(Phdr) *p = (const void *)(start + e->e_phoff);

	for (unsigned i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD && vaddr - p[i].p_vaddr < p[i].p_filesz)
			return vaddr - p[i].p_vaddr + p[i].p_offset;
	}
	return vaddr;
}
