/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stubs, copies and tables are brought into the target. */
#include "inject/patch_plan.h"

#include "inject/deliver.h"
#include "inject/memory.h"
#include "inject/remote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TELL(...)	((void)snprintf(reason, INJECTION_REASON, __VA_ARGS__))
#define TRIES		5		/* the target's other threads map things too */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

/* -EEXIST: something is there by now. */
static int map_at(struct injection *in, struct thread *t, uint64_t base, int remote_fd)
{
	const uint64_t map[6] = { base, AREA_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE,
				  (uint64_t)remote_fd, 0 };
	uint64_t at = 0;
	int rc = remote_ask(in, t, SYS_mmap, map, &at);

	if (rc == 0 && at != base) {
		/* Linux before 4.17 takes it for a wish. */
		const uint64_t unmap[6] = { at, AREA_BYTES };

		remote_ask(in, t, SYS_munmap, unmap, NULL);
		rc = -EEXIST;
	}
	return rc;
}

static int map_area(struct patch_plan *p, struct injection *in, struct thread *t, size_t area,
		    char reason[INJECTION_REASON])
{
	int remote_fd, local_fd, rc = deliver_memfd(in, t, PATCH_AREA_NAME, MFD_CLOEXEC, AREA_BYTES, &remote_fd,
						    &local_fd, reason);
	uint64_t closing[6] = { 0 };
	struct maps maps;

	if (rc)
		return rc;
	close(local_fd);
	rc = map_at(in, t, p->areas.items[area].base, remote_fd);
	for (int n = 0; rc == -EEXIST && n < TRIES; n++) {
		rc = maps_read(injection_proc(in), &maps);
		if (rc)
			break;
		rc = patch_move_area(p, in, &maps, area);
		maps_release(&maps);
		if (rc == 0)
			rc = map_at(in, t, p->areas.items[area].base, remote_fd);
	}
	closing[0] = (uint64_t)remote_fd;
	remote_ask(in, t, SYS_close, closing, NULL);
	if (rc)
		TELL("no memory for stubs can be mapped in it: %s", strerror(-rc));
	return rc;
}

static int write_code(struct patch_plan *p, struct injection *in, struct patch_change *c)
{
	uint8_t stub[CODE_STUB_BYTES];
	int rc = 0;

	if (c->place.kind == ROW_ENTRY) {
		if (code_entry_move(&c->entry, c->place.copy, &c->copy)) {
			patch_drop(p, c, "its entry reaches too far");
			return 0;
		}
		rc = memory_write(in, c->place.copy, c->copy.bytes, c->copy.length);
	}
	code_stub(c->place.copy, c->hook, stub);
	return rc ? rc : memory_write(in, c->place.stub, stub, sizeof(stub));
}

/* The rows first, then how many they are: nobody reads a row that is not there. */
static int write_table(struct patch_plan *p, struct injection *in, size_t area)
{
	struct patch_area *a = &p->areas.items[area];
	struct table_header h = {
		.magic = TABLE_MAGIC, .version = TABLE_VERSION, .base = a->base, .rows = AREA_ROWS,
		.row_bytes = sizeof(struct table_row), .count = (uint32_t)a->rows.count,
	};
	uint64_t at = a->base + sizeof(h);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->changes.count; i++) {
		const struct patch_change *c = &p->changes.items[i];

		if (c->area == area)
			rc = memory_write(in, at + c->row * sizeof(c->place), &c->place, sizeof(c->place));
	}
	return rc ? rc : memory_write(in, a->base, &h, sizeof(h));
}

int patch_prepare(struct patch_plan *p, struct injection *in, struct thread *t, char reason[INJECTION_REASON])
{
	int rc = 0;

	for (size_t i = 0; i < p->areas.count; i++)
		if (p->areas.items[i].fresh) {
			rc = map_area(p, in, t, i, reason);
			if (rc)
				return rc;
			p->areas.items[i].fresh = false;
		}
	for (size_t i = 0; rc == 0 && i < p->changes.count; i++)
		if (p->changes.items[i].area != NOT_IN_AN_AREA && !p->changes.items[i].planted)
			rc = write_code(p, in, &p->changes.items[i]);
	for (size_t i = 0; rc == 0 && i < p->areas.count; i++)
		rc = write_table(p, in, i);
	if (rc)
		TELL(rc == -ESRCH ? "it ended or executed another program" : "its stubs cannot be written: %s",
		     strerror(-rc));
	return rc;
}
