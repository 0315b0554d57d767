/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building the function table: which symbol speaks for which bytes. */
#include "symbols/functions.h"

#include <elf.h>

#define RANK_NAME_MAX	255u		/* longer names are equally bad */

struct build {
	struct function_table *table;
	const struct elf_file *code;
	struct span_list sized, unsized;
	uint64_t code_start, code_end;	/* the segment the last symbol was in */
};

/* Highest is best: type, binding, short name. */
static uint32_t rank_of(const char *name, const struct elf_symbol *s)
{
	uint32_t binding = s->binding == STB_LOCAL ? 0 : s->binding == STB_WEAK ? 1 : 2;

	return (uint32_t)(s->type != STT_NOTYPE) << 16 | binding << 12 |
	       (RANK_NAME_MAX - (uint32_t)strnlen(name, RANK_NAME_MAX));
}

static bool in_code(struct build *b, uint64_t vaddr)
{
	return (vaddr >= b->code_start && vaddr < b->code_end) ||
	       elf_code_range(b->code, vaddr, &b->code_start, &b->code_end) == 0;
}

static int take_symbol(const char *name, const struct elf_symbol *s, void *arg)
{
	struct build *b = arg;
	struct span span = { .start = s->vaddr, .value = (uint32_t)b->table->items.count };
	uint64_t size = s->size;

	if (s->type != STT_FUNC && s->type != STT_GNU_IFUNC && s->type != STT_NOTYPE)
		return 0;
	/* "$x", "$d.12": marks of assemblers for data in code. */
	if (name[0] == '\0' || name[0] == '$' || !in_code(b, s->vaddr))
		return 0;
	if (size > b->code_end - s->vaddr)
		size = b->code_end - s->vaddr;
	span.rank = rank_of(name, s);
	span.end = s->vaddr + size;
	vector_push(&b->table->items, (struct function){ s->vaddr, size, name });
	if (size > 0)
		vector_push(&b->sized, span);
	else
		vector_push(&b->unsized, span);
	return span.value == SPAN_NONE - 1;
}

/* Lets unsized symbols reach to whatever comes next. */
static void stretch_unsized(struct build *b, const struct span_index *sized)
{
	for (size_t i = 0; i < b->unsized.count; i++) {
		struct span *s = &b->unsized.items[i];

		if (span_find(sized, s->start) != SPAN_NONE || !in_code(b, s->start))
			continue;
		s->end = span_piece_end(sized, s->start);
		if (s->end > b->code_end)
			s->end = b->code_end;
		vector_push(&b->sized, *s);
	}
}

void function_table_build(struct function_table *t, struct elf_file *const *files, size_t count,
			  const struct elf_file *code)
{
	struct build b = { .table = t, .code = code };

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < count; i++)
		if (files[i])
			elf_each_symbol(files[i], take_symbol, &b);
	span_flatten(&b.sized, &t->index);
	if (b.unsized.count > 0) {
		stretch_unsized(&b, &t->index);
		span_flatten(&b.sized, &t->index);
	}
	vector_release(&b.sized);
	vector_release(&b.unsized);
}

void function_table_release(struct function_table *t)
{
	vector_release(&t->items);
	vector_release(&t->index);
}

const struct function *function_find(const struct function_table *t, uint64_t vaddr)
{
	uint32_t value = span_find(&t->index, vaddr);

	return value == SPAN_NONE ? NULL : &t->items.items[value];
}
