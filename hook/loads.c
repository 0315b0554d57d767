/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking through the loader's lists, asking the launcher. */
#include "hook/loads.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/attach.h"
#include "hook/clock.h"
#include "hook/core.h"
#include "hook/elf_symbol.h"
#include "hook/memory.h"
#include "hook/modules_elf.h"
#include "hook/ring.h"

#define NAP_MS		20
#define NAPS_MAX	150	/* the program waits for no longer than that */
#define LISTS_MAX	64u	/* namespaces, objects of one: beyond, the chain is a broken one */
#define OBJECTS_MAX	16384u
#define CHECKED_BITS	10u
#define ASKED_MAX	64u

/* glibc 2.35: the lists of all namespaces are chained. */
struct namespace {
	struct r_debug base;
	struct namespace *next;
};

extern const struct attach_entry memtrack_entries[] __attribute__((visibility("default")));

/* By their dynamic sections.  The loader's lock guards all this. */
static uintptr_t checked[1u << CHECKED_BITS];
static uintptr_t asked[ASKED_MAX];	/* those with an allocator's functions that the launcher looked at */
static bool deleting;
static uint32_t session;	/* in which they were */

static const char *symbol(size_t n)
{
	const struct attach_entry *e = &memtrack_entries[n];

	return e->op && e->op < ATTACH_OTHER ? e->symbol : NULL;
}

static bool is_new(const struct link_map *l)
{
	uintptr_t id = (uintptr_t)l->l_ld;
	uintptr_t *place = &checked[id * 0x9e3779b97f4a7c15ull >> (64 - CHECKED_BITS)];

	if (!id || *place == id)
		return false;
	*place = id;
	for (unsigned i = 0; i < ASKED_MAX; i++)
		if (asked[i] == id)
			return false;
	return elf_defines(l, symbol);
}

static void remember(const struct link_map *l)
{
	for (unsigned i = 0; i < ASKED_MAX; i++) {
		if (!asked[i]) {
			asked[i] = (uintptr_t)l->l_ld;
			return;
		}
	}
}

static const struct namespace *next_list(const struct namespace *n)
{
	return n->base.r_version >= 2 ? n->next : NULL;
}

/* Is there something new in any list, or (ld not 0) this object? */
static bool search(uintptr_t ld)
{
	const struct namespace *n = (const void *)modules_debug();
	bool found = false;

	for (unsigned lists = 0; n && lists < LISTS_MAX; lists++, n = next_list(n)) {
		const struct link_map *l = n->base.r_map;

		for (unsigned i = 0; l && i < OBJECTS_MAX; i++, l = l->l_next) {
			if (ld ? (uintptr_t)l->l_ld != ld : !is_new(l))
				continue;
			if (!ld)
				remember(l);
			found = true;
		}
	}
	return found;
}

/* Objects went; others may come to their places. */
static void forget_gone(void)
{
	for (unsigned i = 0; i < ASKED_MAX; i++)
		if (asked[i] && !search(asked[i]))
			asked[i] = 0;
	memset(checked, 0, sizeof(checked));
}

_Static_assert(sizeof(hook.allocators) / sizeof(*hook.allocators) ==
	       sizeof(hook.region->allocators) / sizeof(*hook.region->allocators), "one for one");

/* Blocks that the new functions have in hand as they are patched come back unseen: hook/call.c. */
static void ask(void)
{
	struct channel_region *r = hook.region;
	uint32_t life = hook_life.now, before = r->load_answered, number;

	memtrack_state.alone = 0;
	hook.settle_until = hook_stamp() + SETTLE_TICKS;
	core_special();
	number = atomic_fetch_add(&r->load_asked, 1) + 1;
	ring_doorbell(true);
	for (unsigned naps = 0; naps < NAPS_MAX && !hook.drop; naps++) {
		uint32_t now = r->load_answered;

		if (now == number || life != hook_life.now || !ring_launcher_lives(hook.header))
			break;
		ring_sleep(&r->load_answered, now, NAP_MS);
	}
	if (r->load_answered == before)
		return;
	hook.one_family |= hook.header->settings.one_family;
	for (unsigned i = 0; i < ATTACH_ALLOCATORS && r->allocators[0].end; i++)
		hook.allocators[i] = (struct attach_range){ r->allocators[i].start, r->allocators[i].end };
}

static int state_of_all(void)
{
	const struct namespace *n = (const void *)modules_debug();
	int state = n ? RT_CONSISTENT : RT_ADD;

	for (unsigned lists = 0; n && lists < LISTS_MAX; lists++, n = next_list(n))
		if (n->base.r_state != RT_CONSISTENT)
			state = n->base.r_state;
	return state;
}

static void begin_session(void)
{
	if (session == memtrack_state.sessions)
		return;
	session = memtrack_state.sessions;
	memset(checked, 0, sizeof(checked));
	memset(asked, 0, sizeof(asked));
	deleting = false;
}

void loads_look(void)
{
	int state = state_of_all();

	begin_session();
	if (state != RT_CONSISTENT) {
		deleting |= state == RT_DELETE;
		return;
	}
	if (deleting)
		forget_gone();
	deleting = false;
	if (search(0))
		ask();
}
