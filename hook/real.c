/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Table of real functions, with what stands in for those that a libc lacks. */
#include "hook/real.h"

#include "hook/bootstrap.h"
#include "hook/call.h"
#include "hook/elf_symbol.h"
#include "hook/memory.h"
#include "hook/resolve.h"

void *hook_real[OP_FUNCTIONS_END];

static const char *const names[OP_FUNCTIONS_END] = {
#define X(id, symbol, label, kind, family) [OP_##id] = #symbol,
	TRACE_FUNCTIONS(X)
#undef X
};

/* Same arguments, same meaning; the extra ones of the sized forms are simply not read. */
static enum op substitute(enum op op)
{
	switch (op) {
	case OP_CFREE: case OP_FREE_SIZED: case OP_FREE_ALIGNED: case OP_LIBC_FREE:
		return OP_FREE;
	case OP_DELETE: case OP_DELETEA:
		return OP_FREE;
	case OP_DELETE_SZ: case OP_DELETE_NT: case OP_DELETE_AL: case OP_DELETE_SZ_AL:
	case OP_DELETE_AL_NT:
		return OP_DELETE;
	case OP_DELETEA_SZ: case OP_DELETEA_NT: case OP_DELETEA_AL: case OP_DELETEA_SZ_AL:
	case OP_DELETEA_AL_NT:
		return OP_DELETEA;
	case OP_NEW: case OP_NEWA: case OP_NEW_NT: case OP_NEWA_NT: case OP_LIBC_MALLOC:
		return OP_MALLOC;
	case OP_LIBC_CALLOC:
		return OP_CALLOC;
	case OP_LIBC_REALLOC:
		return OP_REALLOC;
	case OP_LIBC_MEMALIGN: case OP_ALIGNED_ALLOC:
		return OP_MEMALIGN;
	case OP_LIBC_VALLOC:
		return OP_VALLOC;
	case OP_LIBC_PVALLOC:
		return OP_PVALLOC;
	case OP_UNDER_STRDUP:
		return OP_STRDUP;
	case OP_UNDER_STRNDUP:
		return OP_STRNDUP;
	case OP_MMAP64:
		return OP_MMAP;
	default:
		return OP_VOID;
	}
}

static long nothing(void)
{
	return 0;
}

static bool is_in(void *f, const char *name)
{
	const struct link_map *object = resolve_object((uintptr_t)f);
	const char *soname = object ? elf_soname(object) : NULL;

	return soname && hook_streq(soname, name);
}

static bool is_libstdcxx(void *f)
{
	return is_in(f, "libstdc++.so.6");
}

bool real_is_glibc(void)
{
	return hook_real[OP_MALLOC] && is_in(hook_real[OP_MALLOC], "libc.so.6") &&
		hook_real[OP_FREE] && is_in(hook_real[OP_FREE], "libc.so.6") && !resolve_replaced("malloc");
}

/* libstdc++'s operators come down to malloc and free, by way of each other and so of our wrappers:
 * where nobody has a say on that way, they are left out. */
static bool is_plain(void *f, uintptr_t pc)
{
	static const char *const between[] = { "malloc", "free", "_Znwm", "_ZdlPv" };

	if (!is_libstdcxx(f) || !is_libstdcxx(resolve_real("_Znwm", pc)) ||
	    !is_libstdcxx(resolve_real("_ZdlPv", pc)))
		return false;
	for (size_t i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
		if (resolve_replaced(between[i]))
			return false;
	}
	return true;
}

typedef void *new_fn(size_t size);

/* What hook_real[] leaves out. */
static void *plain[OP_FUNCTIONS_END];

bool real_asks_handler(uintptr_t pc)
{
	return is_libstdcxx((void *)pc);
}

/* No memory: the new handler and bad_alloc are the library's business. */
static void *ask_handler(enum op op, size_t size)
{
	struct channel_thread *t = hook_tls_thread(hook_life.now);

	if (t && t->guard & GUARD_HEAP)
		t->guard |= GUARD_HANDLER;
	return ((new_fn *)plain[op])(size);
}

static void *plain_new(size_t size)
{
	void *p = ((new_fn *)hook_real[OP_MALLOC])(size + !size);

	return likely(p) ? p : ask_handler(OP_NEW, size);
}

static void *plain_new_array(size_t size)
{
	void *p = ((new_fn *)hook_real[OP_MALLOC])(size + !size);

	return likely(p) ? p : ask_handler(OP_NEWA, size);
}

/* What to call instead of an operator that is plain. */
static void *shorter(enum op op, void *f, uintptr_t pc)
{
	switch (op) {
	case OP_NEW: case OP_NEWA: case OP_DELETE: case OP_DELETE_SZ: case OP_DELETEA: case OP_DELETEA_SZ:
		break;
	default:
		return f;
	}
	if (!hook_real[OP_MALLOC] || !hook_real[OP_FREE] || !is_plain(f, pc))
		return f;
	plain[op] = f;
	if (op == OP_NEW)
		return (void *)plain_new;
	return op == OP_NEWA ? (void *)plain_new_array : hook_real[OP_FREE];
}

void *real_defined(enum op op)
{
	return plain[op] ? plain[op] : hook_real[op];
}

void *real_resolve(enum op op, uintptr_t pc)
{
	for (enum op o = op; o != OP_VOID; o = substitute(o)) {
		void *f = resolve_real(names[o], pc);

		if (f) {
			f = o == op ? shorter(op, f, pc) : f;
			hook_real[op] = f;
			return f;
		}
	}
	/* Not remembered: the loader may not have got to libc yet. */
	switch (op) {
	case OP_MALLOC: case OP_LIBC_MALLOC: case OP_NEW: case OP_NEWA:
		return (void *)bootstrap_malloc;
	case OP_CALLOC: case OP_LIBC_CALLOC:
		return (void *)bootstrap_calloc;
	case OP_REALLOC: case OP_LIBC_REALLOC:
		return (void *)bootstrap_realloc;
	default:
		return (void *)nothing;
	}
}

void real_init(void)
{
	for (enum op op = OP_MALLOC; op < OP_NEW; op++) {
		if (!hook_real[op])
			real_resolve(op, 0);
	}
	for (enum op op = OP_MMAP; op < OP_FUNCTIONS_END; op++) {
		if (!hook_real[op])
			real_resolve(op, 0);
	}
}
