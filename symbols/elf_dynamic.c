/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PT_DYNAMIC as the dynamic linker sees it: needed libraries, and where the tables are. */
#include "symbols/elf_internal.h"

#include <string.h>

/* Enough for any real program; a forged table shall not make us hold a gigabyte of names. */
#define NEEDED_MAX	4096u
#define NAME_MAX_BYTES	4096u	/* of a library or a search path */

static void take_entry(struct elf_dynamic *d, const GElf_Dyn *entry)
{
	uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_NEEDED:
		if (d->needed.count < NEEDED_MAX)
			vector_push(&d->needed, value);
		break;
	case DT_SONAME:
		d->soname = value + 1;
		break;
	case DT_RPATH:
		d->rpath = value + 1;
		break;
	case DT_RUNPATH:
		d->runpath = value + 1;
		break;
	case DT_SYMTAB:
		d->symtab = value;
		break;
	case DT_STRTAB:
		d->strtab = value;
		break;
	case DT_STRSZ:
		d->strsz = value;
		break;
	case DT_HASH:
		d->hash = value;
		break;
	case DT_GNU_HASH:
		d->gnu_hash = value;
		break;
	case DT_VERSYM:
		d->versym = value;
		break;
	case DT_RELA:
		d->rela = value;
		break;
	case DT_RELASZ:
		d->rela_size = value;
		break;
	case DT_JMPREL:
		d->plt = value;
		break;
	case DT_PLTRELSZ:
		d->plt_size = value;
		break;
	default:
		break;
	}
}

static void load(struct elf_file *f)
{
	struct elf_dynamic *d = &f->dynamic;
	Elf_Data *data = elf_chunk(f, f->dynamic_offset, f->dynamic_size, ELF_T_DYN);
	GElf_Dyn entry;

	if (!data)
		return;
	for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		take_entry(d, &entry);
}

const struct elf_dynamic *elf_dynamic(struct elf_file *f)
{
	if (!f->dynamic.loaded) {
		f->dynamic.loaded = true;
		if (f->facts.dynamic)
			load(f);
	}
	return &f->dynamic;
}

const char *elf_dynamic_strings(struct elf_file *f, size_t *length)
{
	struct elf_dynamic *d = &f->dynamic;
	uint64_t offset;
	Elf_Data *data;

	if (!d->strings && elf_vaddr_to_offset(f, elf_dynamic(f)->strtab, &offset) == 0) {
		data = elf_chunk(f, offset, d->strsz, ELF_T_BYTE);
		if (data && data->d_buf) {
			d->strings = data->d_buf;
			d->strings_len = elf_strings_clip(d->strings, data->d_size);
		}
	}
	*length = d->strings_len;
	return d->strings;
}

/* Reads that one name: the table of a large program takes long. */
static const char *string_at(struct elf_file *f, const struct elf_dynamic *d, uint64_t at)
{
	uint64_t offset, length;
	Elf_Data *data;

	if (at >= d->strsz || elf_vaddr_to_offset(f, d->strtab, &offset) < 0)
		return NULL;
	length = d->strsz - at;
	data = elf_chunk(f, offset + at, length < NAME_MAX_BYTES ? length : NAME_MAX_BYTES, ELF_T_BYTE);
	return data && data->d_buf && memchr(data->d_buf, 0, data->d_size) ? data->d_buf : NULL;
}

const char *elf_needed(struct elf_file *f, size_t index)
{
	const struct elf_dynamic *d = elf_dynamic(f);

	for (size_t i = 0; i < d->needed.count; i++) {
		const char *name = string_at(f, d, d->needed.items[i]);

		if (name && index-- == 0)
			return name;
	}
	return NULL;
}

const char *elf_soname(struct elf_file *f)
{
	const struct elf_dynamic *d = elf_dynamic(f);

	return d->soname ? string_at(f, d, d->soname - 1) : NULL;
}

const char *elf_rpath(struct elf_file *f)
{
	const struct elf_dynamic *d = elf_dynamic(f);

	return d->rpath ? string_at(f, d, d->rpath - 1) : NULL;
}

const char *elf_runpath(struct elf_file *f)
{
	const struct elf_dynamic *d = elf_dynamic(f);

	return d->runpath ? string_at(f, d, d->runpath - 1) : NULL;
}
