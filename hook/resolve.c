/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symbol look-up over the link map, without libc. */
#include "hook/resolve.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "hook/elf_symbol.h"
#include "hook/memory.h"

#define NEEDED_MAX 64

extern struct r_debug _r_debug __attribute__((weak));		/* glibc */
extern struct r_debug *_dl_debug_addr __attribute__((weak));	/* musl */
extern int _dl_find_object(void *pc, struct dl_find_object *result) __attribute__((weak));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static struct link_map *self;
static struct link_map *startup_last;

static struct link_map *first_object(void)
{
	if (&_r_debug)
		return _r_debug.r_map;
	return &_dl_debug_addr ? _dl_debug_addr->r_map : NULL;
}

void resolve_init(void)
{
	if (self)
		return;
	for (struct link_map *m = first_object(); m; m = m->l_next) {
		if (m->l_ld == _DYNAMIC)
			self = m;
		startup_last = m;
	}
}

const char *resolve_own_name(void)
{
	return self ? self->l_name : NULL;
}

static void *search_list(struct link_map *from, const struct link_map *last, const char *name)
{
	for (struct link_map *m = from; m; m = m->l_next) {
		void *found = m == self ? NULL : elf_symbol(m, name);

		if (found)
			return found;
		if (m == last)
			break;
	}
	return NULL;
}

bool resolve_replaced(const char *name)
{
	for (struct link_map *m = first_object(); m && m != self; m = m->l_next) {
		if (elf_symbol(m, name))
			return true;
	}
	return false;
}

static struct link_map *object_of(uintptr_t pc)
{
	struct link_map *best = NULL;
	struct dl_find_object found;

	if (_dl_find_object)
		return _dl_find_object((void *)pc, &found) == 0 ? found.dlfo_link_map : NULL;
	for (struct link_map *m = first_object(); m; m = m->l_next) {
		if (m->l_addr <= pc && (!best || m->l_addr > best->l_addr))
			best = m;
	}
	return best;
}

static const char *base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++) {
		if (*path == '/')
			base = path + 1;
	}
	return base;
}

static struct link_map *object_named(const char *needed)
{
	for (struct link_map *m = first_object(); m; m = m->l_next) {
		const char *soname = elf_soname(m);

		if (soname && hook_streq(soname, needed))
			return m;
		if (m->l_name && hook_streq(base_name(m->l_name), base_name(needed)))
			return m;
	}
	return NULL;
}

/* Breadth first over DT_NEEDED, as the loader builds a dlopen'ed object's local scope. */
static void *search_needed(const struct link_map *root, const char *name)
{
	const struct link_map *queue[NEEDED_MAX];
	size_t count = 1;

	queue[0] = root;
	for (size_t i = 0; i < count; i++) {
		const char *needed;
		void *found = queue[i] == self ? NULL : elf_symbol(queue[i], name);

		if (found)
			return found;
		for (size_t n = 0; (needed = elf_needed(queue[i], n)) && count < NEEDED_MAX; n++) {
			struct link_map *m = object_named(needed);
			size_t seen = 0;

			while (seen < count && queue[seen] != m)
				seen++;
			if (m && seen == count)
				queue[count++] = m;
		}
	}
	return NULL;
}

void *resolve_real(const char *name, uintptr_t pc)
{
	struct link_map *caller;
	void *found = NULL;

	if (self)
		found = search_list(self->l_next, startup_last, name);
	if (found)
		return found;
	caller = object_of(pc);
	if (caller && caller != self)
		found = search_needed(caller, name);
	return found ? found : search_list(first_object(), NULL, name);
}

void *resolve_local(const struct link_map *object, const char *name)
{
	return search_needed(object, name);
}

const struct link_map *resolve_object(uintptr_t pc)
{
	return object_of(pc);
}

const struct link_map *resolve_startup(const struct link_map *before)
{
	const struct link_map *next = before ? before->l_next : first_object();

	if (!self || before == startup_last)
		return NULL;
	if (next != self)
		return next;
	return self == startup_last ? NULL : self->l_next;
}

bool resolve_is_startup(const struct link_map *object)
{
	const struct link_map *m = resolve_startup(NULL);

	while (m && m != object)
		m = resolve_startup(m);
	return object == self || m;
}

bool resolve_in_program(uintptr_t at)
{
	return object_of(at) == first_object();
}
