/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The symbol tables of a file: by section headers, .dynsym without them too. */
#include "symbols/elf_internal.h"

#include <errno.h>

#define VERSION_HIDDEN	0x8000u

/* .dynsym's length by DT_HASH: the number of chains. */
static size_t count_by_hash(struct elf_file *f, uint64_t vaddr)
{
	uint64_t offset;
	Elf_Data *data;

	if (elf_vaddr_to_offset(f, vaddr, &offset) < 0)
		return 0;
	data = elf_chunk(f, offset, 8, ELF_T_WORD);
	return data && data->d_buf ? ((const uint32_t *)data->d_buf)[1] : 0;
}

/* The index behind the first odd word at or behind `index` of the words at offset. */
static size_t chain_end(struct elf_file *f, uint64_t offset, uint64_t index)
{
	for (;;) {
		uint64_t at = offset + index * 4;
		uint64_t left = at < f->size ? (f->size - at) / 4 : 0;
		Elf_Data *data = elf_chunk(f, at, 4 * (left < 4096 ? left : 4096), ELF_T_WORD);
		const uint32_t *words = data ? data->d_buf : NULL;

		if (!words)
			return index;
		for (size_t i = 0; i < data->d_size / 4; i++, index++)
			if (words[i] & 1)
				return index + 1;
	}
}

/* By DT_GNU_HASH: the end of the chain that starts last. */
static size_t count_by_gnu_hash(struct elf_file *f, uint64_t vaddr)
{
	uint64_t offset, last = 0;
	uint32_t buckets, first;
	const uint32_t *words;
	Elf_Data *data;

	if (elf_vaddr_to_offset(f, vaddr, &offset) < 0)
		return 0;
	data = elf_chunk(f, offset, 16, ELF_T_WORD);
	if (!data || !data->d_buf)
		return 0;
	words = data->d_buf;
	buckets = words[0];
	first = words[1];
	offset += 16 + (uint64_t)words[2] * (unsigned)(f->facts.bits / 8);
	data = elf_chunk(f, offset, (uint64_t)buckets * 4, ELF_T_WORD);
	if (!data || !data->d_buf)
		return 0;
	words = data->d_buf;
	for (uint32_t i = 0; i < buckets; i++)
		if (words[i] > last)
			last = words[i];
	if (last < first)
		return first;
	return chain_end(f, offset + (uint64_t)buckets * 4, last - first) + first;
}

static size_t dynsym_count(struct elf_file *f, const struct elf_dynamic *d, size_t entry)
{
	size_t count = 0;

	if (d->hash)
		count = count_by_hash(f, d->hash);
	if (count == 0 && d->gnu_hash)
		count = count_by_gnu_hash(f, d->gnu_hash);
	if (count == 0 && d->strtab > d->symtab)
		count = (d->strtab - d->symtab) / entry;
	return count;
}

/* .dynsym through PT_DYNAMIC, for files without section headers. */
static void load_dynsym(struct elf_file *f, struct elf_symbol_table *t)
{
	const struct elf_dynamic *d = elf_dynamic(f);
	size_t entry = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	uint64_t offset;

	t->strings = elf_dynamic_strings(f, &t->strings_len);
	if (!d->symtab || !t->strings || elf_vaddr_to_offset(f, d->symtab, &offset) < 0)
		return;
	t->count = dynsym_count(f, d, entry);
	t->symbols = elf_chunk(f, offset, t->count * entry, ELF_T_SYM);
}

static void load_versions(struct elf_file *f, struct elf_symbol_table *t)
{
	const struct elf_dynamic *d = elf_dynamic(f);
	uint64_t offset;

	if (d->versym && t->symbols && elf_vaddr_to_offset(f, d->versym, &offset) == 0)
		t->versions = elf_chunk(f, offset, t->count * 2, ELF_T_HALF);
}

static void load_section(struct elf_file *f, Elf_Scn *section, const GElf_Shdr *sh,
			 struct elf_symbol_table *t)
{
	Elf_Scn *link = elf_getscn(f->elf, sh->sh_link);
	GElf_Shdr link_sh;
	Elf_Data *strings;

	if (sh->sh_size > ELF_TABLE_MAX || !link || !gelf_getshdr(link, &link_sh) ||
	    link_sh.sh_type != SHT_STRTAB || link_sh.sh_size > ELF_TABLE_MAX)
		return;
	strings = elf_getdata(link, NULL);
	t->symbols = elf_getdata(section, NULL);
	if (!t->symbols || !t->symbols->d_buf || !strings || !strings->d_buf) {
		t->symbols = NULL;
		return;
	}
	t->strings = strings->d_buf;
	t->strings_len = elf_strings_clip(t->strings, strings->d_size);
	t->count = t->symbols->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
}

static void load_tables(struct elf_file *f)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	if (f->tables_loaded)
		return;
	f->tables_loaded = true;
	while ((section = elf_nextscn(f->elf, section))) {
		if (!gelf_getshdr(section, &sh))
			continue;
		if (sh.sh_type == SHT_DYNSYM && !f->tables[0].symbols)
			load_section(f, section, &sh, &f->tables[0]);
		if (sh.sh_type == SHT_SYMTAB && !f->tables[1].symbols)
			load_section(f, section, &sh, &f->tables[1]);
	}
	if (!f->tables[0].symbols)
		load_dynsym(f, &f->tables[0]);
	load_versions(f, &f->tables[0]);
}

const struct elf_symbol_table *elf_dynsym(struct elf_file *f)
{
	load_tables(f);
	return &f->tables[0];
}

const char *elf_read_symbol(const struct elf_symbol_table *t, size_t index, GElf_Sym *sym)
{
	if (index > INT32_MAX || !gelf_getsym(t->symbols, (int)index, sym) ||
	    sym->st_name >= t->strings_len)
		return NULL;
	return t->strings + sym->st_name;
}

static bool is_hidden_version(const struct elf_symbol_table *t, size_t index)
{
	GElf_Versym version;

	return t->versions && gelf_getversym(t->versions, (int)index, &version) &&
	       (version & VERSION_HIDDEN);
}

static bool is_defined(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_shndx != SHN_COMMON && type != STT_SECTION && type != STT_FILE &&
	       type != STT_TLS;
}

static struct elf_symbol symbol_of(const struct elf_file *f, const GElf_Sym *sym, bool dynamic)
{
	struct elf_symbol s = {
		.vaddr = sym->st_value, .size = sym->st_size, .dynamic = dynamic,
		.type = GELF_ST_TYPE(sym->st_info), .binding = GELF_ST_BIND(sym->st_info),
	};

	/* Bit 0 of a function's address is the Thumb mark. */
	if (f->facts.machine == EM_ARM && s.type == STT_FUNC)
		s.vaddr &= ~1ull;
	return s;
}

int elf_find_symbol(struct elf_file *f, const char *name, struct elf_symbol *out)
{
	int best = 0;
	GElf_Sym sym;

	load_tables(f);
	for (int which = 0; which < 2 && best == 0; which++) {
		const struct elf_symbol_table *t = &f->tables[which];

		for (size_t i = 1; t->symbols && i < t->count; i++) {
			const char *found = elf_read_symbol(t, i, &sym);
			int score;

			if (!found || !is_defined(&sym) || strcmp(found, name) != 0)
				continue;
			score = 1 + 2 * !is_hidden_version(t, i) +
				(GELF_ST_BIND(sym.st_info) != STB_LOCAL);
			if (score <= best)
				continue;
			best = score;
			*out = symbol_of(f, &sym, which == 0);
		}
	}
	return best ? 0 : -ENOENT;
}

int elf_each_symbol(struct elf_file *f, elf_symbol_fn *each, void *arg)
{
	GElf_Sym sym;
	int stop = 0;

	load_tables(f);
	for (int which = 0; which < 2; which++) {
		const struct elf_symbol_table *t = &f->tables[which];

		for (size_t i = 1; t->symbols && i < t->count && !stop; i++) {
			const char *name = elf_read_symbol(t, i, &sym);
			struct elf_symbol s;

			if (!name || !is_defined(&sym))
				continue;
			s = symbol_of(f, &sym, which == 0);
			stop = each(name, &s, arg);
		}
	}
	return stop;
}

bool elf_imports(struct elf_file *f, const char *name)
{
	const struct elf_symbol_table *t = &f->tables[0];
	GElf_Sym sym;

	load_tables(f);
	for (size_t i = 1; t->symbols && i < t->count; i++) {
		const char *found = elf_read_symbol(t, i, &sym);

		if (found && sym.st_shndx == SHN_UNDEF && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* By its header: reading the table of a large library takes long, and few ask for more. */
bool elf_has_symtab(struct elf_file *f)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(f->elf, section)))
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_SYMTAB)
			return sh.sh_entsize && sh.sh_size / sh.sh_entsize > 1 && sh.sh_size <= f->size &&
			       sh.sh_offset <= f->size - sh.sh_size;
	return false;
}

Elf_Scn *elf_find_section(struct elf_file *f, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *section = NULL;
	size_t strings;

	if (elf_getshdrstrndx(f->elf, &strings) < 0)
		return NULL;
	while ((section = elf_nextscn(f->elf, section))) {
		const char *found = gelf_getshdr(section, sh) && sh->sh_type != SHT_NOBITS
			? elf_strptr(f->elf, strings, sh->sh_name) : NULL;

		if (found && strcmp(found, name) == 0)
			return section;
	}
	return NULL;
}

bool elf_has_section(struct elf_file *f, const char *name)
{
	GElf_Shdr sh;

	return elf_find_section(f, name, &sh) != NULL;
}

int elf_section_range(struct elf_file *f, const char *name, uint64_t *start, uint64_t *end)
{
	GElf_Shdr sh;

	if (!elf_find_section(f, name, &sh) || !(sh.sh_flags & SHF_ALLOC) || sh.sh_addr + sh.sh_size < sh.sh_addr)
		return -ENOENT;
	*start = sh.sh_addr;
	*end = sh.sh_addr + sh.sh_size;
	return 0;
}
