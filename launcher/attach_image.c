/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the hook's exported words from outside. */
#include "launcher/attach_image.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "inject/memory.h"
#include "symbols/maps.h"

#define ENTRIES_MAX	1024u

int attach_image_state(struct injection *i, uint64_t state, struct attach_state *out)
{
	int rc = memory_read(i, state, out, sizeof(*out));

	if (!rc && (out->magic != ATTACH_MAGIC || out->version != ATTACH_VERSION))
		rc = -EPROTO;
	return rc;
}

static int read_entries(struct injection *i, uint64_t address, struct attach_entries *entries)
{
	for (unsigned n = 0; n < ENTRIES_MAX; n++) {
		struct attach_entry e;
		int rc = memory_read(i, address + n * sizeof(e), &e, sizeof(e));

		if (rc)
			return rc;
		if (!e.op)
			return 0;
		if (e.argument != ATTACH_PUSHED)
			return -EPROTO;
		e.symbol[sizeof(e.symbol) - 1] = '\0';
		vector_push(entries, e);
	}
	return -EPROTO;
}

/* The executable mapping that memtrack_attach lies in. */
static int find_code(pid_t pid, struct attach_image *image)
{
	const struct map_entry *m;
	struct maps maps;
	int rc = maps_read(pid, &maps);

	if (rc)
		return rc;
	m = maps_find(&maps, image->attach);
	if (m && m->execute) {
		image->code_start = m->start;
		image->code_end = m->end;
	} else {
		rc = -EFAULT;
	}
	maps_release(&maps);
	return rc;
}

int attach_image_read(struct injection *i, const struct delivered *d, struct attach_image *image,
		      char reason[INJECTION_REASON])
{
	struct attach_state state;
	uint64_t entries = 0;
	int rc;

	memset(image, 0, sizeof(*image));
	rc = deliver_symbol(i, d, ATTACH_FUNCTION, &image->attach);
	if (!rc)
		rc = deliver_symbol(i, d, ATTACH_STATE, &image->state);
	if (!rc)
		rc = deliver_symbol(i, d, ATTACH_ENTRIES, &entries);
	if (!rc)
		rc = attach_image_state(i, image->state, &state);
	if (!rc)
		rc = read_entries(i, entries, &image->entries);
	if (!rc)
		rc = find_code(injection_pid(i), image);
	if (!rc)
		return 0;
	attach_image_release(image);
	snprintf(reason, INJECTION_REASON, d->was_there ?
		 "the hook of another version of memtrack is in it; only a new start of the process ends that" :
		 "the hook in it cannot be used: %s", strerror(-rc));
	return rc;
}

void attach_image_release(struct attach_image *image)
{
	vector_release(&image->entries);
}

int attach_image_stop(struct injection *i, uint64_t address)
{
	const uint32_t off = 0;
	struct attach_state state;
	int rc = attach_image_state(i, address, &state);

	if (!rc)
		rc = memory_write(i, address + offsetof(struct attach_state, recording), &off, sizeof(off));
	if (!rc && state.life)
		rc = memory_write(i, state.life, &off, sizeof(off));
	return rc;
}
