/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Untraced children, in the region's table. */
#include "hook/children.h"

#include "hook/core.h"
#include "hook/memory.h"

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
		if (r->children[i].pid == pid)
			c = &r->children[i];
	}
	if (!c && counted == pid)
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
