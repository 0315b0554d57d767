/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening the files of a process's mappings, reading their symbol tables, and what of it counts. */
#include "inject/mapped.h"

#include "base/alloc.h"
#include "inject/memory.h"
#include "symbols/debugfile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OURS		"/memfd:memtrack"
#define HEAD_BYTES	1024u		/* of a file: its headers and build-id, which nobody writes to */
#define MARK		"memtrack_attach"	/* what only the hook exports */
#define SIZE_GUESS	64u			/* of a function behind which nothing is known */

struct reading {
	struct mapped_object *object;
	const struct intern *names;
};

static int take_symbol(const char *name, const struct elf_symbol *s, void *arg)
{
	struct reading *r = arg;
	uint32_t id = intern_find(r->names, name, strlen(name));

	if (s->dynamic && strcmp(name, MARK) == 0)
		r->object->ours = true;
	if (!id || (s->type != STT_FUNC && s->type != STT_GNU_IFUNC && s->type != STT_NOTYPE))
		return 0;
	vector_push(&r->object->symbols, (struct mapped_symbol){
		.name = id, .vaddr = s->vaddr, .size = s->size,
		.local = s->binding == STB_LOCAL, .indirect = s->type == STT_GNU_IFUNC });
	return 0;
}

/* Functions of unknown size end where the next symbol begins. */
static int limit_size(const char *name, const struct elf_symbol *s, void *arg)
{
	struct mapped_object *o = arg;

	(void)name;
	for (size_t i = 0; i < o->symbols.count; i++) {
		struct mapped_symbol *f = &o->symbols.items[i];

		if (f->guessed && s->vaddr > f->vaddr && s->vaddr - f->vaddr < f->size)
			f->size = s->vaddr - f->vaddr;
	}
	return 0;
}

static void settle_sizes(struct mapped_object *o)
{
	bool unknown = false;

	for (size_t i = 0; i < o->symbols.count; i++) {
		struct mapped_symbol *f = &o->symbols.items[i];

		f->guessed = f->size == 0;
		unknown |= f->guessed;
		if (f->guessed)
			f->size = SIZE_GUESS;
	}
	if (unknown)
		elf_each_symbol(o->file, limit_size, o);
}

static bool defines(const struct mapped_object *o, const struct intern *names, const char *name)
{
	uint32_t id = intern_find(names, name, strlen(name));

	for (size_t i = 0; id && i < o->symbols.count; i++)
		if (o->symbols.items[i].name == id)
			return true;
	return false;
}

/* Whether a function that others do not see is the one that its name promises. */
static bool is_allocators(const struct mapped_object *o, const struct intern *names, const char *name)
{
	if (strncmp(name, "_Zn", 3) == 0 || strncmp(name, "_Zd", 3) == 0)
		return true;
	if (!strstr(name, "alloc") && !strstr(name, "free") && !strstr(name, "memalign"))
		return false;
	if (strncmp(name, "mi_", 3) == 0 || strstr(name, "_malloc") || strstr(name, "_calloc") ||
	    strstr(name, "_realloc") || strstr(name, "_free") || name[strlen(name) - 1] == 'x')
		return true;		/* nobody calls functions of another kind so */
	return defines(o, names, "malloc") && defines(o, names, "free");
}

static bool exported_too(const struct mapped_object *o, const struct mapped_symbol *s)
{
	for (size_t i = 0; i < o->symbols.count; i++)
		if (o->symbols.items[i].name == s->name && !o->symbols.items[i].local)
			return true;
	return false;
}

static void drop_unrelated(struct mapped_object *o, const struct intern *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->symbols.count; i++) {
		struct mapped_symbol s = o->symbols.items[i];

		if (!s.local || (!exported_too(o, &s) &&
				 is_allocators(o, names, intern_text(names, s.name, NULL))))
			o->symbols.items[kept++] = s;
	}
	o->symbols.count = kept;
}

/* A stripped static program says nothing; its separate debug file may. */
static void ask_debug_file(struct injection const *in, struct mapped_object *o, struct reading *r)
{
	const struct elf_header_facts *facts = elf_facts(o->file);
	struct elf_file *debug;
	char root[32], *path;
	struct debug_search search = {
		.path = o->path, .root = root,
		.build_id = facts->build_id, .build_id_len = facts->build_id_len,
	};

	snprintf(root, sizeof(root), "/proc/%d/root", (int)injection_proc(in));
	if (!facts->is_static || elf_has_symtab(o->file) || debug_file_find(&search, o->file, &debug, &path))
		return;
	elf_each_symbol(debug, take_symbol, r);
	elf_file_close(debug);
	free(path);
}

static bool is_loader(struct elf_file *file, const char *path)
{
	const char *soname = elf_soname(file), *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return (soname && (strncmp(soname, "ld-linux", 8) == 0 || strncmp(soname, "ld64.so", 7) == 0)) ||
	       strncmp(base, "ld-linux", 8) == 0;
}

static int open_file(const struct injection *in, const struct map_entry *e)
{
	char path[32], target[4096];
	ssize_t length;
	int fd = injection_open_mapped(in, e->start, e->end, e->name, e->inode);

	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)injection_proc(in));
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0 || (size_t)length < strlen(e->name) || strncmp(target, e->name, strlen(e->name)) != 0)
		return fd;
	return open(path, O_RDONLY | O_CLOEXEC);
}

static struct mapped_object *mapped_open(const struct injection *in, const struct map_entry *e, const struct intern *names)
{
	struct mapped_object *o = xcalloc(1, sizeof(*o));
	struct reading r = { .object = o, .names = names };
	int fd = open_file(in, e);

	o->path = xstrdup(e->name);
	o->inode = e->inode;
	o->dev_major = e->dev_major;
	o->dev_minor = e->dev_minor;
	o->error = fd < 0 ? fd : elf_file_open_fd(fd, &o->file);
	if (o->error)
		return o;
	o->loader = is_loader(o->file, o->path);
	if (!names)
		return o;
	elf_each_symbol(o->file, take_symbol, &r);
	ask_debug_file(in, o, &r);
	drop_unrelated(o, names);
	settle_sizes(o);
	return o;
}

bool mapped_is(const struct mapped_object *o, const struct map_entry *e)
{
	return o->inode == e->inode && o->dev_major == e->dev_major && o->dev_minor == e->dev_minor &&
	       strcmp(o->path, e->name) == 0;
}

static void mapped_free(struct mapped_object *o)
{
	elf_file_close(o->file);
	vector_release(&o->symbols);
	vector_release(&o->biases);
	free(o->path);
	free(o);
}

static struct mapped_object *object_of(struct injection *in, const struct intern *names, struct mapped_objects *all,
				const struct map_entry *e)
{
	for (size_t i = 0; i < all->items.count; i++)
		if (mapped_is(all->items.items[i], e))
			return all->items.items[i];
	vector_push(&all->items, mapped_open(in, e, names));
	return vector_last(&all->items);
}

/* Another file may be there by now, if it was opened by its name. */
static bool is_the_file(struct injection *in, const struct mapped_object *o, uint64_t bias)
{
	uint8_t memory[HEAD_BYTES], file[HEAD_BYTES];
	uint64_t first;
	size_t length;

	if (elf_offset_to_vaddr(o->file, 0, &first) < 0)
		return true;
	length = elf_read(o->file, first, file, sizeof(file));
	return memory_read(in, bias + first, memory, length) < 0 || memcmp(memory, file, length) == 0;
}

static bool seen(const struct mapped_object *o, uint64_t bias)
{
	for (size_t i = 0; i < o->biases.count; i++)
		if (o->biases.items[i] == bias)
			return true;
	return false;
}

int mapped_read(struct injection *in, const struct intern *names, struct mapped_objects *all)
{
	int rc;

	memset(all, 0, sizeof(*all));
	rc = maps_read(injection_proc(in), &all->maps);
	for (size_t i = 0; !rc && i < all->maps.count; i++) {
		const struct map_entry *e = &all->maps.items[i];
		struct mapped_object *o;
		uint64_t bias;

		if (!e->execute || e->inode == 0 || strncmp(e->name, OURS, strlen(OURS)) == 0)
			continue;
		o = object_of(in, names, all, e);
		if (o->file && !o->ours && elf_bias(o->file, e->start, e->offset, true, &bias) == 0 &&
		    !seen(o, bias) && is_the_file(in, o, bias))
			vector_push(&o->biases, bias);
	}
	return rc;
}

void mapped_release(struct mapped_objects *all)
{
	for (size_t i = 0; i < all->items.count; i++)
		mapped_free(all->items.items[i]);
	vector_release(&all->items);
	maps_release(&all->maps);
}
