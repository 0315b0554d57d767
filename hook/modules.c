/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which ELF object is where, published for the launcher. */
#include "hook/modules.h"

#include "hook/clock.h"
#include "hook/modules_elf.h"
#include "hook/rows.h"
#include "trace/channel.h"

enum known_state {
	KNOWN_FILLING,		/* claimed; start is valid */
	KNOWN_LOADED,
	KNOWN_GONE,
};

struct known {
	_Atomic uintptr_t start;
	_Atomic uint32_t state;		/* enum known_state */
	struct module m;
};

/* known[] and the region's modules[] have the same indices. */
static struct known *known;
static struct channel_region *region;
static struct channel_module *published;
static _Atomic uint32_t last_found;	/* most misses follow one another in the same object */
static _Atomic uint32_t retired;	/* objects that went since the epoch began */

size_t modules_reserve_bytes(void)
{
	return channel_page_up(CHANNEL_MODULES_MAX * sizeof(struct known));
}

static uint32_t known_count(void)
{
	uint32_t n = atomic_load_explicit(&region->module_count, memory_order_acquire);

	return n < CHANNEL_MODULES_MAX ? n : CHANNEL_MODULES_MAX;
}

static uint16_t current_epoch(void)
{
	uint32_t epoch = atomic_load_explicit(&region->epoch, memory_order_relaxed);

	return epoch < MODULES_EPOCH_MAX ? (uint16_t)epoch : MODULES_EPOCH_MAX;
}

static uint32_t next_epoch(void)
{
	uint32_t epoch = current_epoch() + 1u;

	return epoch < MODULES_EPOCH_MAX ? epoch : MODULES_EPOCH_MAX;
}

static bool same_object(const struct module *a, const struct module *b)
{
	if (a->start != b->start || a->end != b->end || a->bias != b->bias ||
	    a->build_id_size != b->build_id_size)
		return false;
	return a->build_id_word == b->build_id_word;
}

static void publish(uint32_t index, const struct module *m)
{
	struct channel_module *p = &published[index];
	uint32_t i;

	p->start = m->start;
	p->end = m->end;
	p->bias = m->bias;
	p->load_stamp = hook_stamp();
	p->load_epoch = m->epoch;
	p->build_id_len = m->build_id_size;
	for (i = 0; i < m->build_id_size; i++)
		p->build_id[i] = m->build_id[i];
	for (i = 0; m->name && m->name[i] && i < CHANNEL_PATH_MAX - 1; i++)
		p->path[i] = m->name[i];
	p->path[i] = '\0';
	atomic_store_explicit(&p->ready, 1, memory_order_release);
}

/* Claims the index after `count`: fails when another object was added since count was read. */
static bool add(uint32_t count, struct module *m)
{
	struct known *k = &known[count];

	if (count == CHANNEL_MODULES_MAX ||
	    !atomic_compare_exchange_strong(&region->module_count, &count, count + 1))
		return false;
	atomic_store_explicit(&k->start, m->start, memory_order_relaxed);
	if (atomic_exchange(&retired, 0))
		atomic_store(&region->epoch, next_epoch());
	m->epoch = current_epoch();
	m->shared = true;
	k->m = *m;
	publish(count, m);
	atomic_store_explicit(&k->state, KNOWN_LOADED, memory_order_release);
	atomic_store_explicit(&last_found, count, memory_order_relaxed);
	return true;
}

void modules_init(void *reserved, struct channel_region *new_region, uint64_t modules_offset)
{
	uint32_t count = region ? known_count() : 0, kept = 0;
	uint32_t epoch = region ? atomic_load(&region->epoch) : 0;

	known = reserved;
	region = new_region;
	published = (void *)((char *)new_region + modules_offset);
	atomic_store(&region->epoch, epoch);
	for (uint32_t i = 0; i < count; i++) {
		if (atomic_load(&known[i].state) != KNOWN_LOADED)
			continue;
		known[kept].m = known[i].m;
		atomic_store(&known[kept].start, known[i].m.start);
		atomic_store(&known[kept].state, KNOWN_LOADED);
		publish(kept, &known[kept].m);
		kept++;
	}
	for (uint32_t i = kept; i < count; i++) {
		atomic_store(&known[i].start, 0);
		atomic_store(&known[i].state, KNOWN_FILLING);
	}
	atomic_store(&last_found, 0);
	atomic_store(&region->module_count, kept);
}

void modules_forget(void)
{
	region = NULL;
	atomic_store(&last_found, 0);
	atomic_store(&retired, 0);
}

/* The object is gone, and the next one that is added begins a new epoch. */
static void retire(struct known *k, uint32_t index)
{
	uint32_t loaded = KNOWN_LOADED;
	uint16_t never = 0;

	if (!atomic_compare_exchange_strong(&k->state, &loaded, KNOWN_GONE))
		return;
	/* Of one that had come back, the first time counts: others were here between. */
	atomic_compare_exchange_strong(&published[index].unload_epoch, &never, (uint16_t)next_epoch());
	atomic_store(&published[index].unload_stamp, hook_stamp());
	atomic_store(&retired, 1);
	rows_drop(k->m.start, k->m.end);
}

static bool overlap(const struct module *a, const struct module *b)
{
	return a->start < b->end && b->start < a->end;
}

/* The object that was loaded here came back: its frames mean what they meant. */
static void revive(struct known *k, uint32_t index, const struct module *m)
{
	uint32_t gone = KNOWN_GONE;

	k->m.link_map = m->link_map;
	k->m.name = m->name;
	atomic_store(&published[index].unload_stamp, 0);
	atomic_compare_exchange_strong(&k->state, &gone, KNOWN_LOADED);
}

static bool same_name(const char *a, const char *b)
{
	uint32_t i = 0;

	while (b && a[i] == b[i] && a[i] && i < CHANNEL_PATH_MAX - 2)
		i++;
	return b && (a[i] == b[i] || i == CHANNEL_PATH_MAX - 2);
}

static bool is_known(const struct known *k, uint32_t index, const struct module *m)
{
	return same_object(&k->m, m) && same_name(published[index].path, m->name);
}

/* Retires what lies where m is now. */
static void replace(const struct module *m, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct known *k = &known[i];

		if (atomic_load_explicit(&k->state, memory_order_acquire) == KNOWN_LOADED &&
		    overlap(&k->m, m) && !is_known(k, i, m))
			retire(k, i);
	}
}

/* Looks for the object that m describes; true: it is there, or somebody is just adding it. */
static bool match(struct module *m, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct known *k = &known[i];
		uint32_t state = atomic_load_explicit(&k->state, memory_order_acquire);

		if (state == KNOWN_FILLING) {
			if (atomic_load_explicit(&k->start, memory_order_relaxed) == m->start)
				return true;
			continue;
		}
		if (!is_known(k, i, m))
			continue;
		if (state == KNOWN_GONE)
			revive(k, i, m);
		m->epoch = k->m.epoch;
		m->shared = true;
		atomic_store_explicit(&last_found, i, memory_order_relaxed);
		return true;
	}
	return false;
}

/* The object of the last look-up, if it still is what it was. */
static bool try_last(struct module *m)
{
	struct known *k = &known[atomic_load_explicit(&last_found, memory_order_relaxed)];

	if (atomic_load_explicit(&k->state, memory_order_acquire) != KNOWN_LOADED ||
	    k->m.start != m->start || k->m.end != m->end || k->m.link_map != m->link_map)
		return false;
	if (k->m.build_id_size) {
		uint64_t word = 0;

		for (unsigned i = 0; i < 8; i++)
			word |= (uint64_t)k->m.build_id[i] << (8 * i);
		if (word != k->m.build_id_word)
			return false;
	}
	*m = k->m;
	return true;
}

/* While the loader takes objects away, one that was met before and is on the stack is still there. */
static bool find_known(uintptr_t at, struct module *m)
{
	uint32_t count = known_count();

	for (uint32_t i = 0; i < count; i++) {
		if (atomic_load_explicit(&known[i].state, memory_order_acquire) == KNOWN_LOADED &&
		    at - known[i].m.start < known[i].m.end - known[i].m.start) {
			*m = known[i].m;
			return true;
		}
	}
	return false;
}

bool modules_find(uintptr_t at, struct module *m)
{
	uint32_t count;

	if (!modules_locate(at, m))
		return modules_unsure() && find_known(at, m);
	if (try_last(m))
		return true;
	m->shared = false;
	m->epoch = current_epoch();
	if (!modules_read_headers(m))
		return false;
	count = known_count();
	replace(m, count);
	if (!match(m, count))
		add(count, m);
	return true;
}

bool modules_code(uintptr_t at)
{
	struct module m;
	uint32_t count = known_count();

	for (uint32_t i = 0; i < count; i++)
		if (atomic_load_explicit(&known[i].state, memory_order_acquire) == KNOWN_LOADED &&
		    at - known[i].m.start < known[i].m.end - known[i].m.start)
			return at >= known[i].m.code.start && at < known[i].m.code.end;
	return modules_locate(at, &m);
}

void modules_loaded(uintptr_t at)
{
	struct module m;

	if (region && modules_locate(at, &m) && modules_read_headers(&m))
		replace(&m, known_count());
}

/* Only the loader's own tables are read here: another thread may be unloading what they name. */
void modules_changed(void)
{
	uint32_t count = region ? known_count() : 0;

	for (uint32_t i = 0; i < count; i++) {
		struct known *k = &known[i];
		struct module now;

		if (atomic_load_explicit(&k->state, memory_order_acquire) != KNOWN_LOADED)
			continue;
		if (modules_locate(k->m.start, &now) && now.start == k->m.start && now.end == k->m.end &&
		    now.link_map == k->m.link_map)
			continue;
		retire(k, i);
	}
}
