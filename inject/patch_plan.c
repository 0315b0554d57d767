/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be patched, and where its stub and copy will be. */
#include "inject/patch_plan.h"

#include "base/alloc.h"
#include "inject/got.h"
#include "inject/memory.h"
#include "inject/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_reason(struct patch_row *row, const char *reason)
{
	row->how = PATCH_NOT;
	snprintf(row->reason, sizeof(row->reason), "%s", reason);
}

void patch_drop(struct patch_plan *p, struct patch_change *c, const char *reason)
{
	struct patch_row *row = &p->rows[c->want];

	c->area = NOT_IN_AN_AREA;
	if (row->how == PATCH_SLOTS && --row->slots > 0)
		return;
	set_reason(row, reason);
}

/* The entry's bytes in memory, without a patch of ours. */
static int read_entry(const struct patch_plan *p, struct injection *in, uint64_t address, uint8_t *bytes,
		      size_t length)
{
	int rc = memory_read(in, address, bytes, length);
	const struct table_row *row;
	size_t area = 0, n = 0;

	for (; rc == 0 && (row = patch_next_row(p, ROW_ENTRY, address, &area, &n)); n++)
		if (row_planted(in, row)) {
			memcpy(bytes, row->original, CODE_PATCH_BYTES);
			break;
		}
	return rc;
}

static const char *check_entry(const struct patch_plan *p, struct injection *in, const struct definition *d,
			       struct code_entry *e, bool shadow_stack)
{
	uint8_t memory[CODE_ENTRY_MAX];
	const char *reason;
	uint64_t to;

	if (d->skip)
		return d->skip;
	if (code_entry_decode(d->address, d->code, d->code_length, d->size, e, &reason))
		return reason;
	if (e->calls && shadow_stack)
		return "its entry calls, and the process has a shadow stack";
	if (read_entry(p, in, d->address, memory, sizeof(memory)))
		return "its code cannot be read";
	if (memcmp(memory, e->bytes, e->taken) == 0)
		return NULL;
	if (memory[0] == 0xcc)
		return "a breakpoint is at its entry (a uprobe or a debugger)";
	return code_is_jump(d->address, memory, &to) ? "another tool has redirected it"
						      : "its code is not that of its file";
}

static void add_change(struct patch_plan *p, size_t want, const struct table_row *place,
		       const struct code_entry *e)
{
	struct patch_change c = { .want = want, .hook = p->wants[want].entry, .place = *place };

	if (e) {
		c.entry = *e;
		c.low = e->low;
		c.high = e->high;
	}
	vector_push(&p->changes, c);
}

static void add_entry(struct patch_plan *p, size_t want, const struct code_entry *e)
{
	struct table_row place = { .address = e->address, .kind = ROW_ENTRY, .length = e->taken };

	memcpy(place.original, e->bytes, e->taken);
	p->rows[want].how = PATCH_ENTRY;
	add_change(p, want, &place, e);
}

static void add_slot(void *arg, size_t want, uint64_t address, uint64_t value)
{
	struct patch_plan *p = arg;
	struct patch_row *row = &p->rows[want];
	struct table_row place = {
		.address = address, .kind = ROW_SLOT, .length = sizeof(value),
		.copy = p->wants[want].definition->address,
	};

	memcpy(place.original, &value, sizeof(value));
	row->how = PATCH_SLOTS;
	row->slots++;
	add_change(p, want, &place, NULL);
}

/* Slots that an earlier session left set: the function's address does not stand in them. */
static void add_planted_slots(struct patch_plan *p, struct injection *in, size_t want, uint64_t function)
{
	for (size_t i = 0; i < p->areas.count; i++)
		for (size_t n = 0; n < p->areas.items[i].rows.count; n++) {
			const struct table_row *row = &p->areas.items[i].rows.items[n];
			uint64_t value;

			memcpy(&value, row->original, sizeof(value));
			if (row->kind == ROW_SLOT && row->copy == function && row_planted(in, row))
				add_slot(p, want, row->address, value);
		}
}

/* The slots of what could not be patched. */
static void plan_slots(struct patch_plan *p, struct injection *in)
{
	struct got_target *targets = xcalloc(p->count + 1, sizeof(*targets));
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		if (p->rows[i].how == PATCH_NOT && !p->wants[i].definition->skip)
			targets[count++] = (struct got_target){
				.tag = i, .address = p->wants[i].definition->address, .symbol = p->wants[i].symbol };
	if (count)
		got_find(in, targets, count, add_slot, p);
	for (size_t i = 0; i < count; i++)
		add_planted_slots(p, in, targets[i].tag, targets[i].address);
	free(targets);
}

static void note_planted(struct patch_plan *p, struct injection *in)
{
	for (size_t i = 0; i < p->count; i++)
		p->rows[i].planted = p->rows[i].how != PATCH_NOT;
	for (size_t i = 0; i < p->changes.count; i++) {
		struct patch_change *c = &p->changes.items[i];

		c->planted = c->known && row_planted(in, &c->place);
		p->rows[c->want].planted &= c->planted;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct patch_change *one = a, *other = b;

	return one->place.address < other->place.address ? -1 : one->place.address > other->place.address;
}

int patch_plan_make(struct injection *in, const struct patch_want *wants, size_t count, struct patch_plan **out,
		    char reason[INJECTION_REASON])
{
	struct patch_plan *p = xcalloc(1, sizeof(*p));
	struct process_status status = { 0 };
	bool shadow_stack;		/* calls in a copy come back without a call: fatal there */
	struct maps maps;
	int rc = code_cpu_supported() ? maps_read(injection_proc(in), &maps) : -ENOTSUP;

	*out = NULL;
	if (rc) {
		snprintf(reason, INJECTION_REASON, rc == -ENOTSUP ? "code of this CPU cannot be patched"
			 : "its memory map cannot be read: %s", strerror(-rc));
		free(p);
		return rc;
	}
	shadow_stack = status_read(injection_proc(in), 0, &status) == 0 && status.shadow_stack;
	p->wants = xmemdup(wants, count * sizeof(*wants) + !count);
	p->count = count;
	p->rows = xcalloc(count + 1, sizeof(*p->rows));
	patch_areas_read(in, &maps, &p->areas);
	for (size_t i = 0; i < count; i++) {
		struct code_entry e;
		const char *why = check_entry(p, in, wants[i].definition, &e, shadow_stack);

		p->rows[i].definition = wants[i].definition;
		if (why)
			set_reason(&p->rows[i], why);
		else
			add_entry(p, i, &e);
	}
	plan_slots(p, in);
	if (p->changes.count)
		qsort(p->changes.items, p->changes.count, sizeof(*p->changes.items), by_place);
	patch_assign(p, in, &maps);
	note_planted(p, in);
	maps_release(&maps);
	*out = p;
	return 0;
}

const struct patch_row *patch_plan_row(const struct patch_plan *p, size_t index)
{
	return &p->rows[index];
}

void patch_plan_free(struct patch_plan *p)
{
	if (!p)
		return;
	patch_areas_release(&p->areas);
	vector_release(&p->changes);
	free((void *)p->wants);
	free(p->rows);
	free(p);
}
