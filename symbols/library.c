/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dry run of the dynamic linker's search. */
#include "symbols/library.h"

#include "base/alloc.h"
#include "base/vector.h"

#include <string.h>

#define LIBRARIES_MAX	512u

#if defined(__x86_64__)
#define TRIPLET	"x86_64-linux-gnu"
#else
#define TRIPLET	"aarch64-linux-gnu"
#endif

static const char default_dirs[] =
	"/lib/" TRIPLET ":/usr/lib/" TRIPLET ":/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib:"
	"/usr/local/lib64:/usr/local/lib/" TRIPLET;

struct library {
	char *name, *origin;
	struct elf_file *file;
};

VECTOR_STRUCT(library_list, struct library);

bool library_is_libc(const char *name)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-2.", 7) == 0 ||
	       strncmp(base, "libc.musl", 9) == 0 || strncmp(base, "ld-", 3) == 0 ||
	       strncmp(base, "ld64.so", 7) == 0;
}

static char *origin_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

/* One directory of a search path with $ORIGIN put in; malloc'ed. */
static char *expand(const char *dir, size_t len, const char *origin)
{
	size_t skip = 0;

	if (len >= 7 && strncmp(dir, "$ORIGIN", 7) == 0)
		skip = 7;
	else if (len >= 9 && strncmp(dir, "${ORIGIN}", 9) == 0)
		skip = 9;
	return xasprintf("%s%.*s", skip ? origin : "", (int)(len - skip), dir + skip);
}

/* Another class or machine under that name is passed over, as ld.so does. */
static bool open_matching(char *path, const struct elf_header_facts *want, struct library *l)
{
	struct elf_file *f;

	if (elf_file_open(path, &f) == 0) {
		if (elf_facts(f)->bits == want->bits && elf_facts(f)->machine == want->machine) {
			l->file = f;
			l->origin = origin_of(path);
			free(path);
			return true;
		}
		elf_file_close(f);
	}
	free(path);
	return false;
}

static bool search_path(const char *dirs, const char *origin, const struct elf_header_facts *want,
			struct library *l)
{
	bool found = false;

	while (dirs && *dirs && !found) {
		size_t len = strcspn(dirs, ":");
		char *dir = expand(dirs, len, origin);

		if (len > 0)
			found = open_matching(xasprintf("%s/%s", dir, l->name), want, l);
		free(dir);
		dirs += len + (dirs[len] == ':');
	}
	return found;
}

static void find(struct library *l, struct elf_file *by, const char *origin, struct elf_file *program,
		 const char *program_origin)
{
	const struct elf_header_facts *want = elf_facts(program);

	if (strchr(l->name, '/')) {
		open_matching(expand(l->name, strlen(l->name), origin), want, l);
		return;
	}
	if (!elf_runpath(by) && (search_path(elf_rpath(by), origin, want, l) ||
				 search_path(elf_rpath(program), program_origin, want, l)))
		return;
	if (search_path(getenv("LD_LIBRARY_PATH"), program_origin, want, l) ||
	    search_path(elf_runpath(by), origin, want, l))
		return;
	search_path(default_dirs, origin, want, l);
}

static bool is_listed(const struct library_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return true;
	return false;
}

static void add_needed(struct library_list *list, struct elf_file *by, const char *origin,
		       struct elf_file *program, const char *program_origin)
{
	const char *name;

	for (size_t i = 0; (name = elf_needed(by, i)) && list->count < LIBRARIES_MAX; i++) {
		struct library l = { 0 };

		if (strlen(name) > 4096 || is_listed(list, name))
			continue;
		l.name = xstrdup(name);
		find(&l, by, origin, program, program_origin);
		vector_push(list, l);
	}
}

int library_walk(struct elf_file *program, const char *origin, library_fn *each, void *arg)
{
	struct library_list list = { 0 };
	int stop = 0;

	add_needed(&list, program, origin, program, origin);
	for (size_t i = 0; i < list.count && !stop; i++) {
		struct library l = list.items[i];

		stop = each(l.name, l.file, arg);
		if (l.file && !stop)
			add_needed(&list, l.file, l.origin, program, origin);
	}
	for (size_t i = 0; i < list.count; i++) {
		elf_file_close(list.items[i].file);
		free(list.items[i].name);
		free(list.items[i].origin);
	}
	vector_release(&list);
	return stop;
}
