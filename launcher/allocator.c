/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The look-up order of malloc, from outside: program, preloaded libraries, needed libraries. */
#include "launcher/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "launcher/procfs.h"
#include "symbols/living.h"
#include "symbols/maps.h"
#include "symbols/target.h"

#define REMEMBERED	16u
#define SEPARATORS	" :\t\n"

/* What the file of a program says.  Reading it takes long where there are many symbols. */
struct known {
	char *exe;
	struct allocator allocator;	/* without the preloaded libraries */
	bool own_operators;
};

static struct known known[REMEMBERED];
static unsigned next;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void set(struct allocator *a, enum allocator_where where, const char *name)
{
	a->where = where;
	snprintf(a->name, sizeof(a->name), "%s", name);
}

static bool defines_malloc(const char *path)
{
	struct elf_symbol s;
	struct elf_file *f;
	bool found;

	if (elf_file_open(path, &f))
		return false;
	found = elf_find_symbol(f, "malloc", &s) == 0 && s.dynamic;
	elf_file_close(f);
	return found;
}

/* LD_PRELOAD may name a library in any way: the file that is mapped under its last name is it. */
static bool preloaded_defines(pid_t pid, const struct maps *maps, const char *library)
{
	char path[TARGET_PATH_MAX + 32];

	if (strchr(library, '/') && defines_malloc(library))
		return true;
	for (size_t i = 0; i < maps->count; i++) {
		const char *name = maps->items[i].name;

		if (*name != '/' || strcmp(base_name(name), base_name(library)))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)living_proc(pid), name);
		return defines_malloc(path) || defines_malloc(name);
	}
	return false;
}

static void find_preloaded(struct allocator *a, pid_t pid, const char *libraries)
{
	char *list = xstrdup(libraries), *word, *rest;
	struct maps maps = { 0 };
	bool has_maps = maps_read(pid, &maps) == 0, found = false;

	for (word = strtok_r(list, SEPARATORS, &rest); word && !found; word = strtok_r(NULL, SEPARATORS, &rest)) {
		if (strcmp(base_name(word), "memtrack.so") == 0 || !preloaded_defines(pid, &maps, word))
			continue;
		found = true;
		set(a, ALLOCATOR_LIBRARY, base_name(word));
	}
	if (has_maps)
		maps_release(&maps);
	free(list);
}

static const struct known *find_known(const char *exe)
{
	for (unsigned i = 0; i < REMEMBERED; i++)
		if (known[i].exe && !strcmp(known[i].exe, exe))
			return &known[i];
	return NULL;
}

static const struct allocator *remember(const char *exe, const struct target_facts *f)
{
	struct known *k = &known[next++ % REMEMBERED];

	free(k->exe);
	k->exe = xstrdup(exe);
	k->own_operators = f->own_operators;
	set(&k->allocator, ALLOCATOR_LIBC, "");
	if (f->is_go)
		set(&k->allocator, ALLOCATOR_GO, "Go");
	else if (f->own_malloc && !f->malloc_in[0])
		set(&k->allocator, ALLOCATOR_PROGRAM, exe);
	else if (f->own_malloc)
		set(&k->allocator, ALLOCATOR_LIBRARY, base_name(f->malloc_in));
	else if (f->inner_malloc)
		set(&k->allocator, ALLOCATOR_INSIDE, f->inner_malloc);
	return &k->allocator;
}

void allocator_learn(const struct target_facts *facts)
{
	char *exe = realpath(facts->path, NULL);

	if (exe)
		remember(exe, facts);
	free(exe);
}

static const struct allocator *look(const char *exe)
{
	const struct known *k = find_known(exe);
	const struct allocator *a;
	struct target_facts *f;

	if (k)
		return &k->allocator;
	f = xcalloc(1, sizeof(*f));
	if (target_inspect(exe, f))
		f->path[0] = '\0';
	a = remember(exe, f);
	free(f);
	return a;
}

void allocator_find(struct allocator *a, pid_t pid, const char *exe)
{
	char *preloaded;

	*a = *look(exe);
	if (a->where == ALLOCATOR_PROGRAM || a->where == ALLOCATOR_GO)
		return;
	preloaded = procfs_variable(pid, "LD_PRELOAD");
	find_preloaded(a, pid, preloaded);
	free(preloaded);
}

bool allocator_own_operators(pid_t pid)
{
	char exe[TARGET_PATH_MAX], path[32];
	const struct known *k = procfs_exe(pid, exe, sizeof(exe)) ? NULL : find_known(exe);

	if (k)
		return k->own_operators;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)living_proc(pid));
	return target_own_operators(path);
}

const char *allocator_where(const struct allocator *a)
{
	static const char *const words[] = {
		[ALLOCATOR_LIBC] = "libc", [ALLOCATOR_LIBRARY] = "library", [ALLOCATOR_PROGRAM] = "program",
		[ALLOCATOR_INSIDE] = "inside", [ALLOCATOR_GO] = "go",
	};

	return words[a->where];
}
