/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Untraced children, in the region's table. */
#include "hook/children.h"

#include "hook/clock.h"
#include "hook/core.h"
#include "hook/memory.h"
#include "hook/ring.h"

static const char *last_component(const char *path)
{
	const char *last = path;

	for (; *path; path++) {
		if (*path == '/' && path[1])
			last = path + 1;
	}
	return last;
}

void children_note(uint32_t pid, const char *path)
{
	struct channel_region *r = hook.region;
	static uint32_t counted;	/* the child that this image of memory counted last */
	struct channel_child *c = NULL;
	uint32_t n = r->child_count, i;

	for (i = 0; i < n && i < CHANNEL_CHILDREN_MAX; i++) {
		if (pid && r->children[i].pid == pid)
			c = &r->children[i];
	}
	if (!c && pid && counted == pid)
		return;		/* it forked, and now executes something; the table was full */
	if (!c) {
		counted = pid;
		i = atomic_fetch_add(&r->child_count, 1);
		if (i >= CHANNEL_CHILDREN_MAX)
			return;
		c = &r->children[i];
	}
	if (path || !c->name[0])
		hook_copy_string(c->name, path ? last_component(path) : "(fork)", sizeof c->name);
	c->pid = pid;
}

static struct channel_note *free_note(struct channel_region *r)
{
	for (uint32_t i = 0; i < CHANNEL_NOTES_MAX; i++) {
		uint32_t is_free = NOTE_FREE;

		if (atomic_compare_exchange_strong(&r->notes[i].state, &is_free, NOTE_WRITING))
			return &r->notes[i];
	}
	return NULL;
}

void children_tell(enum channel_note_kind kind, uint32_t pid, const char *path, bool carries,
		   uint64_t stamp)
{
	struct channel_region *r = hook.region;
	struct channel_note *n = free_note(r);

	if (!n) {
		atomic_fetch_add(&r->notes_lost, 1);
		ring_doorbell(true);
		return;
	}
	n->kind = kind;
	n->pid = pid;
	n->carries = carries;
	n->stamp = stamp;
	hook_copy_string(n->path, path ? path : "", sizeof n->path);
	atomic_store_explicit(&n->state, NOTE_READY, memory_order_release);
	if (n >= &r->notes[CHANNEL_NOTES_MAX / 4])
		ring_doorbell(false);
}

void children_untraced(uint32_t pid)
{
	if (hook.follow)
		children_tell(NOTE_NO_ROOM, pid, NULL, true, hook_stamp());
	else
		children_note(pid, NULL);
}
