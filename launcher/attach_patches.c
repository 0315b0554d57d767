/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the hook's entries to jumps, and words for what became of them. */
#include "launcher/attach_patches.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "inject/memory.h"
#include "inject/threads.h"
#include "trace/ops.h"

static int find(struct attach_patches *p, struct injection *i, const struct attach_entries *entries,
		char reason[INJECTION_REASON])
{
	const char **names = xcalloc(entries->count, sizeof(*names));
	int rc;

	for (size_t n = 0; n < entries->count; n++)
		names[n] = entries->items[n].symbol;
	rc = definitions_find(i, names, entries->count, &p->found, reason);
	free(names);
	return rc;
}

/* Several names at one address: the first entry counts. */
static const struct attach_entry *entry_of(const struct attach_entries *entries, const struct definition *d)
{
	return &entries->items[d->names[0]];
}

/* tcmalloc's free is its delete, too: such calls are seen as the first of these names. */
static bool is_ambiguous(const struct attach_entries *entries, const struct definition *d)
{
	enum op_family first = op_family(entry_of(entries, d)->op);

	for (size_t n = 1; n < d->name_count; n++)
		if (op_family(entries->items[d->names[n]].op) != first)
			return true;
	return false;
}

static int plan(struct attach_patches *p, struct injection *i, const struct attach_entries *entries,
		char reason[INJECTION_REASON])
{
	struct patch_want *wants = xcalloc(p->found.count, sizeof(*wants));
	int rc;

	p->count = p->found.count;
	for (size_t n = 0; n < p->count; n++) {
		const struct attach_entry *e = entry_of(entries, &p->found.items[n]);

		wants[n] = (struct patch_want){ &p->found.items[n], e->function, e->symbol };
		p->one_family |= is_ambiguous(entries, &p->found.items[n]);
	}
	rc = patch_plan_make(i, wants, p->count, &p->plan, reason);
	free(wants);
	return rc;
}

static bool is_allocator(const struct attach_entries *entries, const struct patch_row *row)
{
	return row->how != PATCH_NOT && entry_of(entries, row->definition)->op < ATTACH_OTHER;
}

static int check(const struct attach_patches *p, const struct attach_entries *entries,
		 char reason[INJECTION_REASON])
{
	const char *why = "no function of an allocator was found in it (is it stripped?)";

	for (size_t n = 0; n < p->count; n++) {
		const struct patch_row *row = patch_plan_row(p->plan, n);

		if (is_allocator(entries, row))
			return 0;
		why = row->reason;
	}
	snprintf(reason, INJECTION_REASON, "nothing can be patched: %s", why);
	return -ENOTSUP;
}

int attach_patches_plan(struct attach_patches *p, struct injection *i, const struct attach_entries *entries,
			char reason[INJECTION_REASON])
{
	int rc = find(p, i, entries, reason);

	if (!rc)
		rc = plan(p, i, entries, reason);
	return rc ? rc : check(p, entries, reason);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *attach_patches_new(const struct attach_patches *p)
{
	for (size_t n = 0; n < p->count; n++) {
		const struct patch_row *row = patch_plan_row(p->plan, n);

		if (row->how != PATCH_NOT && !row->planted)
			return file_name(row->definition->object);
	}
	return NULL;
}

/* Functions stand by their addresses, so those of an object side by side. */
static void describe_done(struct attach_patches *p, const struct attach_entries *entries, bool all,
			  struct buffer *out)
{
	const char *object = NULL;

	for (size_t n = 0; n < p->count; n++) {
		const struct patch_row *row = patch_plan_row(p->plan, n);

		p->entries |= row->how == PATCH_ENTRY;
		p->slots |= row->how == PATCH_SLOTS;
		if (row->how == PATCH_NOT || (row->planted && !all))
			continue;
		if (object && strcmp(object, row->definition->object))
			buffer_printf(out, " in %s; ", file_name(object));
		else if (object)
			buffer_append_string(out, ", ");
		object = row->definition->object;
		buffer_append_string(out, entry_of(entries, row->definition)->symbol);
	}
	if (object)
		buffer_printf(out, " in %s", file_name(object));
}

static const char *missing(const struct attach_entry *e, const struct patch_row *row)
{
	if (strcmp(e->symbol, "_dl_debug_state") == 0)
		return "allocators that are loaded later are missed (%s of %s: %s)";
	return row->how == PATCH_NOT ? "calls of %s in %s are missed (%s)" :
	       "calls of %s in %s by saved pointers or from objects loaded later are missed (%s)";
}

static void describe_missed(struct attach_patches *p, const struct attach_entries *entries)
{
	for (size_t n = 0; n < p->count; n++) {
		const struct patch_row *row = patch_plan_row(p->plan, n);
		const struct definition *d = row->definition;

		if (row->how == PATCH_ENTRY)
			continue;
		if (p->missed.length)
			buffer_append_string(&p->missed, "; ");
		buffer_printf(&p->missed, missing(entry_of(entries, d), row), entry_of(entries, d)->symbol,
			      file_name(d->object), row->reason);
	}
}

struct planting {
	struct patch_plan *plan;
	uint64_t state;
};

static int plant(struct injection *i, void *argument, char reason[INJECTION_REASON])
{
	const struct planting *p = argument;
	const uint32_t alone = 1;
	int rc = patch_plant(p->plan, i, reason);

	/* Should that fail the hook goes by time. */
	if (!rc && p->state && threads_count(i) == 1)
		memory_write(i, p->state + offsetof(struct attach_state, alone), &alone, sizeof(alone));
	return rc;
}

int attach_patches_plant(struct attach_patches *p, struct injection *i, const struct attach_entries *entries,
			 uint64_t state, char reason[INJECTION_REASON])
{
	struct planting planting = { p->plan, state };
	int rc = threads_with_all(i, plant, &planting, reason);

	if (rc)
		return rc;
	describe_done(p, entries, true, &p->done);
	describe_done(p, entries, false, &p->added);
	describe_missed(p, entries);
	return 0;
}

const char *attach_patches_kind(const struct attach_patches *p)
{
	return p->slots && p->entries ? "entry patch and slots" : p->slots ? "slots" : "entry patch";
}

void attach_patches_release(struct attach_patches *p)
{
	patch_plan_free(p->plan);
	buffer_release(&p->added);
	definitions_release(&p->found);
	buffer_release(&p->done);
	buffer_release(&p->missed);
}
