/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DT_GNU_HASH and DT_HASH look-up in a loaded object. */
#include "hook/elf_symbol.h"

#include <elf.h>
#include <stdint.h>

#include "hook/memory.h"

#define VERSION_HIDDEN 0x8000

struct tables {
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint16_t *versions;
	const uint32_t *gnu_hash;
	const uint32_t *sysv_hash;
};

/* glibc relocates these pointers in place, musl and the vDSO do not. */
static const void *table_address(const struct link_map *object, uintptr_t value)
{
	return (const void *)(value < object->l_addr ? value + object->l_addr : value);
}

static void read_tables(const struct link_map *object, struct tables *t)
{
	*t = (struct tables){ 0 };
	for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *p = table_address(object, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			t->symbols = p;
		else if (d->d_tag == DT_STRTAB)
			t->strings = p;
		else if (d->d_tag == DT_VERSYM)
			t->versions = p;
		else if (d->d_tag == DT_GNU_HASH)
			t->gnu_hash = p;
		else if (d->d_tag == DT_HASH)
			t->sysv_hash = p;
	}
}

/* 2: take it; 1: only if nothing better comes; 0: no */
static int rank(const struct tables *t, uint32_t index, const char *name)
{
	const ElfW(Sym) *s = &t->symbols[index];
	unsigned type = ELF64_ST_TYPE(s->st_info);
	unsigned bind = ELF64_ST_BIND(s->st_info);

	if (s->st_shndx == SHN_UNDEF || !s->st_value)
		return 0;
	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return 0;
	if (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE)
		return 0;
	if (!hook_streq(t->strings + s->st_name, name))
		return 0;
	return t->versions && (t->versions[index] & VERSION_HIDDEN) ? 1 : 2;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

static uint32_t search_gnu(const struct tables *t, const char *name)
{
	uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], words = t->gnu_hash[2];
	const uint32_t *bucket = t->gnu_hash + 4 + words * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = bucket + buckets;
	uint32_t hash = gnu_hash_of(name), best = 0, i;

	if (!buckets)
		return 0;
	i = bucket[hash % buckets];
	if (i < first)
		return 0;
	for (;; i++) {
		uint32_t h = chain[i - first];

		if ((h | 1) == (hash | 1)) {
			int r = rank(t, i, name);

			if (r == 2)
				return i;
			if (r == 1)
				best = i;
		}
		if (h & 1)
			return best;
	}
}

static uint32_t search_sysv(const struct tables *t, const char *name)
{
	uint32_t count = t->sysv_hash[1], best = 0;

	for (uint32_t i = 1; i < count; i++) {
		int r = rank(t, i, name);

		if (r == 2)
			return i;
		if (r == 1)
			best = i;
	}
	return best;
}

static uint32_t search(const struct tables *t, const char *name)
{
	if (!t->symbols || !t->strings || (!t->gnu_hash && !t->sysv_hash))
		return 0;
	return t->gnu_hash ? search_gnu(t, name) : search_sysv(t, name);
}

bool elf_defines(const struct link_map *object, const char *(*name)(size_t n))
{
	struct tables t;
	const char *symbol;

	read_tables(object, &t);
	for (size_t n = 0; (symbol = name(n)); n++)
		if (search(&t, symbol))
			return true;
	return false;
}

void *elf_symbol(const struct link_map *object, const char *name)
{
	struct tables t;
	uint32_t index;
	uintptr_t address;

	read_tables(object, &t);
	index = search(&t, name);
	if (!index)
		return NULL;
	address = object->l_addr + t.symbols[index].st_value;
	if (ELF64_ST_TYPE(t.symbols[index].st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))address)();
	return (void *)address;
}

static const char *dynamic_string(const struct link_map *object, int64_t tag, size_t n)
{
	struct tables t;

	read_tables(object, &t);
	for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == tag && n-- == 0)
			return t.strings ? t.strings + d->d_un.d_val : NULL;
	}
	return NULL;
}

const char *elf_soname(const struct link_map *object)
{
	return dynamic_string(object, DT_SONAME, 0);
}

const char *elf_needed(const struct link_map *object, size_t n)
{
	return dynamic_string(object, DT_NEEDED, n);
}

bool elf_imports(const struct link_map *object, struct elf_imports *imports)
{
	struct tables t;
	bool rela = true;

	read_tables(object, &t);
	*imports = (struct elf_imports){ .symbols = t.symbols, .strings = t.strings };
	for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			imports->relocations[0] = table_address(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			imports->count[0] = d->d_un.d_val / sizeof(ElfW(Rela));
		else if (d->d_tag == DT_JMPREL)
			imports->relocations[1] = table_address(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_PLTRELSZ)
			imports->count[1] = d->d_un.d_val / sizeof(ElfW(Rela));
		else if (d->d_tag == DT_PLTREL)
			rela = d->d_un.d_val == DT_RELA;
	}
	for (unsigned i = 0; i < 2; i++)
		if (!imports->relocations[i] || (i && !rela))
			imports->count[i] = 0;
	return t.symbols && t.strings;
}
