/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines for the frames of a text log, from the binaries of this machine.
 *
 * Such a frame says BINARY(SYMBOL+0xN), or BINARY(+0xFILEOFFSET).  The log does not tell whether
 * the file is still the same one: a symbol that it does not have gives no line. */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "model/stacks.h"
#include "model/state.h"
#include "symbols/elf.h"
#include "symbols/module.h"

#define BINARIES_MAX	256u
#define QUICK_BYTES	(8u << 20)	/* of a binary and its debug file: the symbols and DWARF of one unit take
					 * some 10 ms */

struct binary {
	struct elf_file *elf;		/* NULL: cannot be read */
	struct symbol_module *module;
	bool large;
};

static uint64_t size_of(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static struct binary *binary_open(const char *path)
{
	struct symbol_source source = { .path = path };
	struct binary *binary = xcalloc(1, sizeof(*binary));

	if (path[0] == '/' || path[0] == '.') {
		if (elf_file_open(path, &binary->elf))
			binary->elf = NULL;
		else
			binary->module = symbol_module_open(&source);
	}
	if (binary->module)
		binary->large = size_of(symbol_module_file(binary->module)) +
			size_of(symbol_module_debug_file(binary->module)) > QUICK_BYTES;
	return binary;
}

/* NULL when there are too many. */
static struct binary *binary_get(struct heap *heap, uint32_t path)
{
	uint64_t known;

	if (map_get(&heap->binaries, path, &known))
		return (struct binary *)(uintptr_t)known;
	if (map_count(&heap->binaries) >= BINARIES_MAX)
		return NULL;
	known = (uintptr_t)binary_open(intern_text(heap->modules.strings, path, NULL));
	map_put(&heap->binaries, path, known);
	return (struct binary *)(uintptr_t)known;
}

void locate_release(struct heap *heap)
{
	uint64_t path, value;

	for (size_t at = 0; map_each(&heap->binaries, &at, &path, &value);) {
		struct binary *binary = (struct binary *)(uintptr_t)value;

		if (binary->elf) {
			symbol_module_close(binary->module);
			elf_file_close(binary->elf);
		}
		free(binary);
	}
	map_release(&heap->binaries);
}

static bool address_of(const struct heap *heap, const struct binary *binary,
	const struct stack_place *place, uint64_t *address)
{
	struct elf_symbol symbol;

	if (!place->function)
		return !elf_offset_to_vaddr(binary->elf, place->address, address);
	if (elf_find_symbol(binary->elf, intern_text(heap->modules.strings, place->function, NULL), &symbol))
		return false;
	*address = symbol.vaddr + place->address;
	return true;
}

static const char *keep(struct heap *heap, const char *text)
{
	return intern_text(heap->modules.strings, intern_put_string(heap->modules.strings, text), NULL);
}

static void locate(struct heap *heap, const struct stack_place *place, struct stack_frame *frame)
{
	struct binary *binary = place->module ? binary_get(heap, place->module) : NULL;
	struct symbol_result *result;
	uint64_t address;

	if (!binary || !binary->elf || (heap->options.quick_lines && binary->large) ||
	    !address_of(heap, binary, place, &address))
		return;
	result = xmalloc(sizeof(*result));
	/* A return address: the call is the byte before. */
	if (!symbol_resolve(binary->module, address - 1, result) && result->count) {
		if (result->frames[0].file)
			frame->file = keep(heap, result->frames[0].file);
		frame->line = result->frames[0].line;
		/* The line may be one of an inlined function: name that. */
		if (result->frames[0].function && (!frame->function || result->count > 1))
			frame->function = keep(heap, result->frames[0].function);
	}
	free(result);
}

/* The name alone, for which no DWARF is read. */
static void name(struct heap *heap, const struct stack_place *place, struct stack_frame *frame)
{
	struct binary *binary = place->module ? binary_get(heap, place->module) : NULL;
	uint64_t address, offset;
	const char *raw;
	bool guess;

	if (binary && binary->elf && !address_of(heap, binary, place, &address) &&
	    !symbol_name(binary->module, address - 1, &raw, &offset, &guess))
		frame->function = stack_demangle(heap, keep(heap, raw));
}

void stack_locate(struct heap *heap, uint32_t stack, struct stack_frame *frames, size_t count)
{
	const struct stack_table *t = &heap->stacks;

	for (size_t i = 0; i < count && stack >= STACK_FIRST && stack < t->nodes.count; i++) {
		const struct stack_place *place = &t->places.items[t->nodes.items[stack].frame];

		if (!place->text)
			return; /* a .mtk trace says all itself */
		if (!frames[i].file)
			locate(heap, place, &frames[i]);
		stack = t->nodes.items[stack].parent;
	}
}

void stack_name_runtime(struct heap *heap, uint32_t stack, struct stack_frame *frames, size_t count)
{
	const struct stack_table *t = &heap->stacks;

	for (size_t i = 0; i < count && stack >= STACK_FIRST && stack < t->nodes.count; i++) {
		const struct stack_place *place = &t->places.items[t->nodes.items[stack].frame];

		if (!place->text || !frames[i].module || !stack_in_runtime(frames[i].module))
			return;
		if (!frames[i].function)
			name(heap, place, &frames[i]);
		stack = t->nodes.items[stack].parent;
	}
}
