/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading an object's relocations and rewriting its slots. */
#include "hook/got.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "hook/core.h"
#include "hook/elf_symbol.h"
#include "hook/got_cpu.h"
#include "hook/memory.h"
#include "hook/modules.h"
#include "hook/modules_elf.h"
#include "hook/own.h"
#include "hook/raw.h"
#include "hook/real.h"
#include "hook/resolve.h"

struct object {
	const struct link_map *map;
	struct module module;		/* start and end */
	struct elf_imports imports;
	uintptr_t low, high;		/* pages that the loader has made read-only */
	bool opened;			/* and we writable */
	bool late;			/* not there at start: may be bound past the hook */
};

/* Our exported functions, by op. */
#define X(id, symbol, label, kind, family) \
extern const char export_##id __asm__(#symbol) __attribute__((visibility("default")));
TRACE_FUNCTIONS(X)
#undef X

static const struct {
	const char *name;
	const char *wrapper;
} exports[OP_FUNCTIONS_END] = {
#define X(id, symbol, label, kind, family) [OP_##id] = { #symbol, &export_##id },
	TRACE_FUNCTIONS(X)
#undef X
};

static bool inside(const struct object *o, uintptr_t at)
{
	return at - o->module.start < o->module.end - o->module.start;
}

/* The slot as the loader left it: bound, to nothing, or to its own stub that binds it later. */
static bool bound(const struct object *o, uintptr_t value)
{
	return !inside(o, value);
}

/* What an unbound slot would be bound to, if it is the same with RTLD_DEEPBIND and without. */
static bool will_bind(const struct object *o, const char *name, const void *real, const void *ours)
{
	void *local;

	if (resolve_replaced(name))
		return false;
	local = resolve_local(o->map, name);
	return ours ? local == real : !local || local == real;
}

static void *public_wrapper(const struct object *o, const char *name, uintptr_t value)
{
	unsigned op = 1;
	void *real;

	while (op < OP_FUNCTIONS_END && !hook_streq(exports[op].name, name))
		op++;
	if (op == OP_FUNCTIONS_END)
		return NULL;
	/* Here and not at the first call: nobody takes objects away while we look. */
	if (!hook_real[op])
		real_resolve(op, (uintptr_t)o->map->l_ld);
	real = real_defined(op);
	if (!real || value == (uintptr_t)exports[op].wrapper)
		return NULL;
	if (bound(o, value) ? value != (uintptr_t)real : !will_bind(o, name, real, exports[op].wrapper))
		return NULL;
	return (void *)exports[op].wrapper;
}

/* Of two allocators that have the same function only the first is followed. */
static void *own_wrapper_for(const struct object *o, const char *name, uintptr_t value)
{
	void *_Atomic *real;
	void *wrapper = own_wrapper(name, &real), *target = (void *)value, *known = NULL;

	if (!wrapper || target == wrapper)
		return NULL;
	if (!bound(o, value)) {
		target = resolve_real(name, (uintptr_t)o->map->l_ld);
		if (!target || !will_bind(o, name, target, NULL))
			return NULL;
	} else if (resolve_in_program(value)) {
		return NULL;		/* its own: it calls that directly as well */
	}
	if (!atomic_compare_exchange_strong(real, &known, target) && known != target)
		return NULL;
	return wrapper;
}

static bool protect(const struct object *o, int prot)
{
	return raw_call(RAW_NR_mprotect, o->low, o->high - o->low, prot, 0, 0) == 0;
}

/* A slot may begin on one page and end on the next; any page of it may be read-only. */
static void write_slot(struct object *o, uintptr_t slot, void *value)
{
	if (slot < o->high && slot + sizeof(value) > o->low && !o->opened) {
		if (!protect(o, PROT_READ | PROT_WRITE))
			return;
		o->opened = true;
	}
	if (slot % sizeof(value))
		memcpy((void *)slot, &value, sizeof(value));
	else
		atomic_store_explicit((void *_Atomic *)slot, value, memory_order_release);
}

/* Cheap, and false for nearly all names there are. */
static bool may_be_ours(const char *s)
{
	switch (s[0]) {
	case '_':
		return s[1] == 'Z' ? s[2] == 'n' || s[2] == 'd' : s[1] == '_';
	case 'a': case 'b': case 'c': case 'd': case 'f': case 'j': case 'm': case 'p': case 'r': case 's':
	case 't': case 'v': case 'x':
		return true;
	default:
		return false;
	}
}

static void visit(struct object *o, const ElfW(Rela) *r)
{
	const ElfW(Sym) *symbol = &o->imports.symbols[ELF64_R_SYM(r->r_info)];
	uintptr_t slot = o->map->l_addr + r->r_offset, value;
	const char *name;
	void *wrapper;

	if (!GOT_IS_POINTER(ELF64_R_TYPE(r->r_info)) || !ELF64_R_SYM(r->r_info) ||
	    symbol->st_shndx != SHN_UNDEF)
		return;
	name = o->imports.strings + symbol->st_name;
	if (!may_be_ours(name) || !inside(o, slot) || !inside(o, slot + sizeof(value) - 1))
		return;
	memcpy(&value, (const void *)slot, sizeof(value));
	if (!value)
		return;
	wrapper = o->late ? public_wrapper(o, name, value) : NULL;
	if (!wrapper)
		wrapper = own_wrapper_for(o, name, value);
	if (wrapper)
		write_slot(o, slot, wrapper);
}

static void rewrite(const struct link_map *map, bool late)
{
	struct object o = { .map = map, .late = late };

	if (!modules_locate((uintptr_t)map->l_ld, &o.module) || !elf_imports(map, &o.imports))
		return;
	modules_relro(&o.module, &o.low, &o.high);
	for (unsigned list = 0; list < 2; list++)
		for (size_t i = 0; i < o.imports.count[list]; i++)
			visit(&o, &o.imports.relocations[list][i]);
	if (o.opened)
		protect(&o, PROT_READ);
}

static bool has_own_functions(const struct link_map *map)
{
	return elf_symbol(map, "mallocx") || elf_symbol(map, "je_mallocx") || elf_symbol(map, "tc_malloc") ||
	       elf_symbol(map, "mi_malloc") || elf_symbol(map, "__size_returning_new");
}

void got_start(void)
{
	const struct link_map *map;
	bool any = false;

	for (map = resolve_startup(NULL); map && !any; map = resolve_startup(map))
		any = has_own_functions(map);
	for (map = resolve_startup(NULL); map && any; map = resolve_startup(map))
		rewrite(map, false);
}

__attribute__((visibility("default"))) void __gmon_start__(void);
__attribute__((visibility("default"))) void __gmon_start__(void)
{
	const struct link_map *map;

	if (!core_recording())
		return;
	map = resolve_object((uintptr_t)__builtin_return_address(0));
	if (!map || resolve_is_startup(map))
		return;
	if (hook.depth)
		modules_loaded((uintptr_t)map->l_ld);
	rewrite(map, true);
}
