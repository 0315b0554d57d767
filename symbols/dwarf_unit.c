/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a unit in three steps, each when first needed: functions, inlined calls, lines. */
#include "symbols/dwarf_unit.h"

#include <dwarf.h>

#define DEPTH_MAX		128u	/* of nested scopes and namespaces */
#define RANGES_MAX		65536u	/* of one function */
#define UNIT_SPANS_MAX		(1u << 20)

void dwarf_add_ranges(Dwarf_Die *die, const struct elf_file *code, uint32_t value, uint32_t rank,
		      struct span_list *spans, size_t *budget)
{
	size_t first = spans->count;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	uint64_t low, high;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0 && *budget > 0 &&
	       spans->count - first < RANGES_MAX) {
		struct span *last = spans->count > first ? &vector_last(spans) : NULL;

		/* Linkers leave the ranges of discarded sections at 0 or near ~0. */
		if (start == 0 || start >= end || elf_code_range(code, start, &low, &high) < 0)
			continue;
		if (end > high)
			end = high;
		if (last && last->end == start) {
			last->end = end;
			continue;
		}
		(*budget)--;
		vector_push(spans, (struct span){ start, end, value, rank });
	}
}

/* The next DIE beside *die.  Siblings lie further on in the file: one that does not is a forged
 * reference, and would go round for ever. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > before;
}

static void add_function(struct dwarf_unit *u, const struct elf_file *code, Dwarf_Die *die, uint32_t rank,
			 size_t *budget)
{
	size_t before = u->spans.count;
	struct dwarf_function f = { .die = *die };
	Dwarf_Addr entry;

	dwarf_add_ranges(die, code, (uint32_t)u->functions.count, rank, &u->spans, budget);
	if (u->spans.count == before)
		return;
	f.start = u->spans.items[before].start;
	if (dwarf_entrypc(die, &entry) == 0 && entry != 0)
		f.start = entry;
	vector_push(&u->functions, f);
}

/* deep: look for functions inside types and functions too. */
static bool may_hold_functions(int tag, bool deep)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
		return deep;
	default:
		return false;
	}
}

static void collect_functions(struct dwarf_unit *u, const struct elf_file *code, Dwarf_Die *parent,
			      unsigned depth, size_t *budget)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_function(u, code, &die, depth, budget);
		if (may_hold_functions(tag, u->deep))
			collect_functions(u, code, &die, depth + 1, budget);
	} while (next_sibling(&die));
}

static void load_functions(struct dwarf_unit *u, const struct elf_file *code, size_t *cost)
{
	size_t budget = UNIT_SPANS_MAX;

	for (size_t i = 0; i < u->functions.count; i++) {
		vector_release(&u->functions.items[i].scopes);
		vector_release(&u->functions.items[i].index);
	}
	u->loaded = true;
	u->functions.count = 0;
	u->spans.count = 0;
	collect_functions(u, code, &u->code, 0, &budget);
	span_flatten(&u->spans, &u->index);
	*cost += u->functions.count * sizeof(struct dwarf_function) +
		 u->spans.count * sizeof(struct span) * 2;
	vector_release(&u->spans);
}

struct dwarf_function *dwarf_unit_function(struct dwarf_unit *u, const struct elf_file *code, uint64_t vaddr,
					   size_t *cost)
{
	uint32_t value;

	if (!u->loaded)
		load_functions(u, code, cost);
	value = span_find(&u->index, vaddr);
	/* Functions inside functions and types are rare (nested ones, local classes), and looking
	 * for them means reading every DIE: only when an address asks for it. */
	if (value == SPAN_NONE && !u->deep) {
		u->deep = true;
		load_functions(u, code, cost);
		value = span_find(&u->index, vaddr);
	}
	return value == SPAN_NONE ? NULL : &u->functions.items[value];
}

static uint32_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0 ||
	    value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static void collect_scopes(struct dwarf_function *f, const struct elf_file *code, Dwarf_Die *parent_die,
			   uint32_t parent, unsigned depth, struct span_list *spans, size_t *budget)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent_die, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		uint32_t scope = parent;

		if (tag == DW_TAG_inlined_subroutine) {
			scope = (uint32_t)f->scopes.count;
			vector_push(&f->scopes, (struct dwarf_scope){
				.die = die, .parent = parent,
				.call_file = number(&die, DW_AT_call_file),
				.call_line = number(&die, DW_AT_call_line) });
			dwarf_add_ranges(&die, code, scope, depth, spans, budget);
		} else if (tag != DW_TAG_lexical_block && tag != DW_TAG_try_block &&
			   tag != DW_TAG_catch_block && tag != DW_TAG_with_stmt) {
			continue;
		}
		collect_scopes(f, code, &die, scope, depth + 1, spans, budget);
	} while (next_sibling(&die));
}

uint32_t dwarf_function_scope(struct dwarf_function *f, const struct elf_file *code, uint64_t vaddr,
			      size_t *cost)
{
	struct span_list spans = { 0 };
	size_t budget = UNIT_SPANS_MAX;
	uint32_t value;

	if (!f->loaded) {
		f->loaded = true;
		vector_push(&f->scopes, (struct dwarf_scope){ .die = f->die, .parent = SPAN_NONE });
		collect_scopes(f, code, &f->die, 0, 1, &spans, &budget);
		span_flatten(&spans, &f->index);
		*cost += f->scopes.capacity * sizeof(struct dwarf_scope) +
			 f->index.capacity * sizeof(struct span_piece);
		vector_release(&spans);
	}
	value = span_find(&f->index, vaddr);
	return value == SPAN_NONE ? 0 : value;
}

static const char *string(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

void dwarf_scope_name(struct dwarf_scope *s, struct names *names)
{
	const char *linkage = string(&s->die, DW_AT_linkage_name);
	uint32_t plain = names_put(names, string(&s->die, DW_AT_name));

	if (!linkage)
		linkage = string(&s->die, DW_AT_MIPS_linkage_name);
	s->raw = names_put(names, linkage);
	/* Linkage names of Fortran, Ada, Go say less than their plain ones. */
	s->function = names_mangled(names, s->raw) || !plain ? s->raw : plain;
	if (!s->raw)
		s->raw = plain;
	s->named = true;
}

static void load_lines(struct dwarf_unit *u, size_t *cost)
{
	u->lines_loaded = true;
	if (dwarf_getsrclines(&u->die, &u->lines, &u->line_count) != 0)
		u->line_count = 0;
	/* A row of libdw's, and the list it was sorted from. */
	*cost += u->line_count * 80;
}

static uint64_t row_address(struct dwarf_unit *u, size_t row)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(u->lines, row), &address);
	return address;
}

bool dwarf_unit_line(struct dwarf_unit *u, uint64_t vaddr, const char **file, unsigned *line, size_t *cost)
{
	size_t low = 0, high;
	Dwarf_Line *row;
	bool end = true;
	int value;

	if (!u->lines_loaded)
		load_lines(u, cost);
	for (high = u->line_count; low < high; ) {
		size_t mid = low + (high - low) / 2;

		if (row_address(u, mid) <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	row = dwarf_onesrcline(u->lines, low - 1);
	if (dwarf_lineendsequence(row, &end) != 0 || end || dwarf_lineno(row, &value) != 0)
		return false;
	*file = dwarf_linesrc(row, NULL, NULL);
	*line = value > 0 ? (unsigned)value : 0;
	return true;
}

const char *dwarf_unit_file(struct dwarf_unit *u, uint32_t number_in_unit, size_t *cost)
{
	if (!u->files_loaded) {
		u->files_loaded = true;
		if (dwarf_getsrcfiles(&u->code, &u->files, &u->file_count) != 0)
			u->file_count = 0;
		*cost += u->file_count * 128;
	}
	return number_in_unit < u->file_count ? dwarf_filesrc(u->files, number_in_unit, NULL, NULL)
					      : NULL;
}

void dwarf_unit_release(struct dwarf_unit *u)
{
	for (size_t i = 0; i < u->functions.count; i++) {
		vector_release(&u->functions.items[i].scopes);
		vector_release(&u->functions.items[i].index);
	}
	vector_release(&u->functions);
	vector_release(&u->index);
	vector_release(&u->spans);
}
