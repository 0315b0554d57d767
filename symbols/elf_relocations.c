/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relocations of a file that leave a word with an address, by PT_DYNAMIC alone. */
#include "symbols/elf_internal.h"

/* Of the CPU we run on: others' are not looked at. */
#if defined(__x86_64__)
enum { WORD = R_X86_64_64, SLOT = R_X86_64_GLOB_DAT, PLT_SLOT = R_X86_64_JUMP_SLOT,
       OWN = R_X86_64_RELATIVE, OWN_INDIRECT = R_X86_64_IRELATIVE };
#else
enum { WORD = R_AARCH64_ABS64, SLOT = R_AARCH64_GLOB_DAT, PLT_SLOT = R_AARCH64_JUMP_SLOT,
       OWN = R_AARCH64_RELATIVE, OWN_INDIRECT = R_AARCH64_IRELATIVE };
#endif

/* false: it leaves no address. */
static bool understand(struct elf_file *f, const GElf_Rela *rela, struct elf_relocation *r)
{
	const struct elf_symbol_table *t = elf_dynsym(f);
	unsigned type = GELF_R_TYPE(rela->r_info);
	GElf_Sym sym;

	*r = (struct elf_relocation){
		.vaddr = rela->r_offset, .symbol = "", .value = (uint64_t)rela->r_addend,
		.lazy = type == PLT_SLOT, .indirect = type == OWN_INDIRECT,
	};
	if (type == OWN || type == OWN_INDIRECT)
		return true;
	if ((type != WORD && type != SLOT && type != PLT_SLOT) || !t->symbols)
		return false;
	r->symbol = elf_read_symbol(t, GELF_R_SYM(rela->r_info), &sym);
	return r->symbol && *r->symbol;
}

static int walk(struct elf_file *f, uint64_t vaddr, uint64_t size, elf_relocation_fn *each, void *arg)
{
	struct elf_relocation r;
	uint64_t offset;
	Elf_Data *data;
	GElf_Rela rela;
	int stop = 0;

	if (!size || elf_vaddr_to_offset(f, vaddr, &offset) < 0)
		return 0;
	data = elf_chunk(f, offset, size, ELF_T_RELA);
	for (int i = 0; data && data->d_buf && !stop && gelf_getrela(data, i, &rela); i++)
		if (understand(f, &rela, &r))
			stop = each(&r, arg);
	return stop;
}

int elf_each_relocation(struct elf_file *f, elf_relocation_fn *each, void *arg)
{
	const struct elf_dynamic *d = elf_dynamic(f);
	int stop;

	if (!f->facts.native)
		return 0;
	stop = walk(f, d->rela, d->rela_size, each, arg);
	/* Some linkers count those of the PLT in. */
	if (!stop && (d->plt < d->rela || d->plt >= d->rela + d->rela_size))
		stop = walk(f, d->plt, d->plt_size, each, arg);
	return stop;
}
