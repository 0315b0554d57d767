/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the mappings of a process to the functions in them. */
#include "inject/definitions.h"

#include "base/alloc.h"
#include "inject/memory.h"
#include "inject/mapped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CODE_MAX	(64u << 10)	/* of a function that is read */
#define CODE_MIN	64u		/* also behind a short one */
#define LOADER_CALLS	"_dl_debug_state"

struct search {
	struct injection *injection;
	struct intern *names;
	size_t *index;			/* of an id in the caller's list */
	struct mapped_objects objects;
	struct definitions *found;
};

static struct definition *definition_at(struct definitions *found, uint64_t address)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->items[i].address == address)
			return &found->items[i];
	return NULL;
}

static void add_name(struct definition *d, size_t name)
{
	size_t at = d->name_count;

	for (size_t i = 0; i < d->name_count; i++)
		if (d->names[i] == name)
			return;
	d->names = xreallocarray(d->names, d->name_count + 1, sizeof(*d->names));
	for (; at > 0 && d->names[at - 1] > name; at--)
		d->names[at] = d->names[at - 1];
	d->names[at] = name;
	d->name_count++;
}

static void read_code(struct definition *d, const struct elf_file *file, uint64_t vaddr)
{
	size_t want = d->size < CODE_MIN ? CODE_MIN : d->size > CODE_MAX ? CODE_MAX : (size_t)d->size;

	d->code = xmalloc(want);
	d->code_length = elf_read(file, vaddr, d->code, want);
}

/* The object's name, for as long as the definitions live. */
static const char *keep_name(struct definitions *found, const char *path)
{
	for (size_t i = 0; i < found->object_count; i++)
		if (strcmp(found->objects[i], path) == 0)
			return found->objects[i];
	if (found->object_count == found->object_capacity)
		found->objects = vector_grow(found->objects, &found->object_capacity, found->object_count + 1,
					     sizeof(*found->objects));
	found->objects[found->object_count] = xstrdup(path);
	return found->objects[found->object_count++];
}

static struct definition *add_definition(struct search *s, const struct mapped_object *o, uint64_t bias,
					 uint64_t vaddr, uint64_t size)
{
	const struct elf_header_facts *facts = elf_facts(o->file);
	struct definition d = {
		.address = vaddr + bias, .size = size, .bias = bias,
		.object = keep_name(s->found, o->path), .build_id_len = facts->build_id_len,
	};

	memcpy(d.build_id, facts->build_id, sizeof(d.build_id));
	read_code(&d, o->file, vaddr);
	vector_push(s->found, d);
	return &vector_last(s->found);
}

/* Where an indirect function leads, as some slot of a loaded object has it. */
struct resolving {
	struct search *search;
	const struct mapped_object *owner, *in;
	uint64_t owner_bias, bias;
	uint64_t vaddr;			/* of the function that says it */
	const char *name;
	uint64_t address;		/* 0: not known yet */
};

static int look_at_slot(const struct elf_relocation *r, void *arg)
{
	struct resolving *g = arg;
	const struct map_entry *e;
	uint64_t value, start, end;

	/* A slot of its own for the name may still lead into its own stubs. */
	if (r->indirect ? g->in != g->owner || r->value != g->vaddr
			: g->in == g->owner || r->value != 0 || strcmp(r->symbol, g->name) != 0)
		return 0;
	if (memory_read(g->search->injection, g->bias + r->vaddr, &value, sizeof(value)) < 0)
		return 0;
	e = maps_find(&g->search->objects.maps, value);
	if (!e || !e->execute || value == g->owner_bias + g->vaddr ||
	    elf_code_range(g->owner->file, value - g->owner_bias, &start, &end) < 0)
		return 0;
	g->address = value;
	return 1;
}

static uint64_t resolve(struct search *s, const struct mapped_object *owner, uint64_t bias,
			const struct mapped_symbol *symbol)
{
	struct resolving g = {
		.search = s, .owner = owner, .owner_bias = bias, .vaddr = symbol->vaddr,
		.name = intern_text(s->names, symbol->name, NULL),
	};

	for (size_t i = 0; i < s->objects.items.count && !g.address; i++) {
		g.in = s->objects.items.items[i];
		for (size_t n = 0; g.in->file && n < g.in->biases.count && !g.address; n++) {
			g.bias = g.in->biases.items[n];
			elf_each_relocation(g.in->file, look_at_slot, &g);
		}
	}
	return g.address;
}

static void add_symbol(struct search *s, const struct mapped_object *o, uint64_t bias, const struct mapped_symbol *symbol)
{
	uint64_t address = symbol->vaddr + bias, resolved = symbol->indirect ? resolve(s, o, bias, symbol) : address;
	const struct map_entry *e = maps_find(&s->objects.maps, resolved ? resolved : address);
	struct definition *d;

	if (!e || !e->execute || !mapped_is(o, e))
		return;
	d = definition_at(s->found, resolved ? resolved : address);
	if (!d && resolved != address && resolved)
		d = add_definition(s, o, bias, resolved - bias, 0);
	else if (!d)
		d = add_definition(s, o, bias, symbol->vaddr, symbol->size);
	if (!resolved)
		d->skip = "it is an indirect function that nobody has used yet";
	add_name(d, s->index[symbol->name]);
}

static int by_address(const void *a, const void *b)
{
	const struct definition *one = a, *other = b;

	return one->address < other->address ? -1 : one->address > other->address;
}

/* Of the loader only what it calls for debuggers: its own malloc serves before libc is there. */
static bool counts(const struct search *s, const struct mapped_object *o, const struct mapped_symbol *symbol)
{
	return !o->loader || strcmp(intern_text(s->names, symbol->name, NULL), LOADER_CALLS) == 0;
}

static void collect(struct search *s)
{
	for (size_t i = 0; i < s->objects.items.count; i++) {
		const struct mapped_object *o = s->objects.items.items[i];

		for (size_t n = 0; n < o->biases.count; n++)
			for (size_t k = 0; k < o->symbols.count; k++)
				if (counts(s, o, &o->symbols.items[k]))
					add_symbol(s, o, o->biases.items[n], &o->symbols.items[k]);
	}
	if (s->found->count)
		qsort(s->found->items, s->found->count, sizeof(*s->found->items), by_address);
}

static void end_search(struct search *s)
{
	mapped_release(&s->objects);
	intern_free(s->names);
	free(s->index);
}

/* All objects are there then: the slots of any may say where an indirect function leads. */
static int begin_search(struct search *s, struct injection *in, const char *const *names, size_t count,
			struct definitions *found)
{
	*s = (struct search){ .injection = in, .names = intern_new(), .found = found,
			      .index = xcalloc(count + 1, sizeof(*s->index)) };
	for (size_t i = count; i > 0; i--)
		s->index[intern_put_string(s->names, names[i - 1])] = i - 1;
	return mapped_read(in, s->names, &s->objects);
}

int definitions_find(struct injection *in, const char *const *names, size_t count, struct definitions *found,
		     char reason[INJECTION_REASON])
{
	struct search s;
	int rc;

	memset(found, 0, sizeof(*found));
	rc = begin_search(&s, in, names, count, found);
	if (rc == 0)
		collect(&s);
	else
		snprintf(reason, INJECTION_REASON, "its memory map cannot be read: %s", strerror(-rc));
	end_search(&s);
	return rc;
}

void definitions_release(struct definitions *found)
{
	for (size_t i = 0; i < found->count; i++) {
		free(found->items[i].names);
		free(found->items[i].code);
	}
	for (size_t i = 0; i < found->object_count; i++)
		free(found->objects[i]);
	free(found->items);
	free(found->objects);
	memset(found, 0, sizeof(*found));
}
