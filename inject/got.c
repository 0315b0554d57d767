/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slots, found by the relocations of the files and by what stands in them now. */
#include "inject/got.h"

#include "inject/mapped.h"
#include "inject/memory.h"

#include <string.h>

struct got_search {
	struct injection *injection;
	const struct got_target *targets;
	size_t count;
	got_fn *each;
	void *arg;
	const struct mapped_object *object;
	uint64_t bias;
};

/* A slot that is bound at its first call leads into its own object until then.  Several definitions of
 * the name: nobody knows which it will be. */
static bool will_be(const struct got_search *s, const struct elf_relocation *r, uint64_t value,
		    const struct got_target *t)
{
	uint64_t start, end;
	size_t same = 0;

	if (!r->lazy || !t->symbol || strcmp(r->symbol, t->symbol) != 0 ||
	    elf_code_range(s->object->file, value - s->bias, &start, &end) < 0)
		return false;
	for (size_t i = 0; i < s->count; i++)
		same += s->targets[i].symbol && strcmp(s->targets[i].symbol, t->symbol) == 0;
	return same == 1;
}

static int look(const struct elf_relocation *r, void *arg)
{
	const struct got_search *s = arg;
	uint64_t value;

	if (r->vaddr % sizeof(value) || memory_read(s->injection, s->bias + r->vaddr, &value, sizeof(value)) < 0)
		return 0;
	for (size_t i = 0; i < s->count; i++) {
		const struct got_target *t = &s->targets[i];

		if (value == t->address || will_be(s, r, value, t)) {
			s->each(s->arg, t->tag, s->bias + r->vaddr, value);
			break;
		}
	}
	return 0;
}

void got_find(struct injection *in, const struct got_target *targets, size_t count, got_fn *each, void *arg)
{
	struct got_search s = { .injection = in, .targets = targets, .count = count, .each = each, .arg = arg };
	struct mapped_objects all;

	if (mapped_read(in, NULL, &all) == 0) {
		for (size_t i = 0; i < all.items.count; i++) {
			s.object = all.items.items[i];
			for (size_t n = 0; n < s.object->biases.count; n++) {
				s.bias = s.object->biases.items[n];
				elf_each_relocation(s.object->file, look, &s);
			}
		}
		mapped_release(&all);
	}
}
