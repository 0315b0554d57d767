/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking modules from the region, opening their files. */
#include "launcher/module_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "launcher/jit_map.h"
#include "symbols/maps.h"

void module_table_init(struct module_table *t, struct symbol_files *files, pid_t pid, const char *exe,
		       const char *symbols_from, uint32_t *serials)
{
	memset(t, 0, sizeof(*t));
	t->files = files;
	t->pid = pid;
	t->exe = xstrdup(exe ? exe : "");
	t->symbols_from = symbols_from ? xstrdup(symbols_from) : NULL;
	t->serials = serials;
	t->jit = jit_map_new(pid);
	clock_gettime(CLOCK_REALTIME_COARSE, &t->since);
}

void module_table_release(struct module_table *t)
{
	for (size_t i = 0; i < t->all.count; i++) {
		symbol_file_put(t->files, t->all.items[i]->file);
		free(t->all.items[i]->path);
		free(t->all.items[i]);
	}
	vector_release(&t->all);
	vector_release(&t->sorted);
	vector_release(&t->unready);
	jit_map_free(t->jit);
	free(t->exe);
	free(t->symbols_from);
}

static bool entry_before(const struct module_entry *a, const struct module_entry *b)
{
	return a->start != b->start ? a->start < b->start : a->load_epoch < b->load_epoch;
}

static void sorted_insert(struct module_table *t, struct module_entry *m)
{
	size_t at = t->sorted.count;

	vector_push(&t->sorted, m);
	for (; at > 0 && entry_before(m, t->sorted.items[at - 1]); at--)
		t->sorted.items[at] = t->sorted.items[at - 1];
	t->sorted.items[at] = m;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Without a build-id nothing tells whether another object has taken the address since, but the name:
 * mapped as libx.so.1.2, it may have been asked for as libx.so.1. */
static bool may_be(const struct symbol_source *from, const char *mapped)
{
	const char *asked = base_name(from->path), *name = base_name(mapped);
	size_t a = strlen(asked), n = strlen(name);

	return from->build_id_len || !a || !strncmp(asked, name, a < n ? a : n);
}

/* Where the kernel says the object at this address comes from: its exact mapping, its whole name. */
static void source_from_maps(struct symbol_source *from, const struct maps *maps, uint64_t start)
{
	const struct map_entry *e = maps_find(maps, start);

	if (!e || !e->inode || !may_be(from, e->name))
		return;
	from->map_start = e->start;
	from->map_end = e->end;
	from->inode = e->inode;
	if (*from->path != '/')
		from->path = e->name;
}

static void entry_open(struct module_table *t, struct module_entry *m, const struct maps *maps)
{
	struct symbol_source from = {
		.pid = t->pid,
		.path = m->executable ? t->exe : m->path,
		.executable = m->executable,
		.build_id = m->build_id,
		.build_id_len = m->build_id_len,
		.symbols_from = t->symbols_from,
		.since = t->since,
	};

	source_from_maps(&from, maps, m->start);
	m->file = symbol_file_get(t->files, &from);
	if (from.path != m->path) {
		char *path = xstrdup(from.path);

		free(m->path);
		m->path = path;
	}
}

/* False: not ready.  *m is NULL when it makes no sense. */
static bool entry_copy(const struct region *r, uint32_t index, struct module_entry **out)
{
	const struct channel_module *from = &r->modules[index];
	struct module_entry *m;
	uint32_t id;

	*out = NULL;
	if (!atomic_load_explicit(&from->ready, memory_order_acquire))
		return false;
	m = xcalloc(1, sizeof(*m));
	m->index = index;
	m->load_epoch = __atomic_load_n(&from->load_epoch, __ATOMIC_RELAXED);
	m->start = __atomic_load_n(&from->start, __ATOMIC_RELAXED);
	m->end = __atomic_load_n(&from->end, __ATOMIC_RELAXED);
	m->bias = __atomic_load_n(&from->bias, __ATOMIC_RELAXED);
	m->load_stamp = __atomic_load_n(&from->load_stamp, __ATOMIC_RELAXED) >> r->shift;
	id = __atomic_load_n(&from->build_id_len, __ATOMIC_RELAXED);
	m->build_id_len = id <= sizeof(m->build_id) ? id : 0;
	memcpy(m->build_id, from->build_id, m->build_id_len);
	m->path = xcalloc(1, CHANNEL_PATH_MAX + 1);
	memcpy(m->path, from->path, CHANNEL_PATH_MAX);
	m->executable = !*m->path;
	if (m->start < m->end) {
		*out = m;
		return true;
	}
	free(m->path);
	free(m);
	return true;
}

/* True when the module was dealt with. */
static bool table_take(struct module_table *t, const struct region *r, uint32_t index, const struct maps *maps)
{
	struct module_entry *m;

	if (!entry_copy(r, index, &m))
		return false;
	if (!m)
		return true;
	m->serial = ++*t->serials;
	entry_open(t, m, maps);
	vector_push(&t->all, m);
	sorted_insert(t, m);
	return true;
}

size_t module_table_take(struct module_table *t, const struct region *r)
{
	uint32_t count = atomic_load_explicit(&r->shared->module_count, memory_order_acquire);
	size_t first = t->all.count, kept = 0;
	struct maps maps = { 0 };

	if (count > CHANNEL_MODULES_MAX)
		count = CHANNEL_MODULES_MAX;
	if (count <= t->next && !t->unready.count)
		return first;
	if (maps_read(t->pid, &maps))
		memset(&maps, 0, sizeof(maps));
	for (size_t i = 0; i < t->unready.count; i++)
		if (!table_take(t, r, t->unready.items[i], &maps))
			t->unready.items[kept++] = t->unready.items[i];
	t->unready.count = kept;
	for (; t->next < count; t->next++)
		if (!table_take(t, r, t->next, &maps))
			vector_push(&t->unready, t->next);
	maps_release(&maps);
	return first;
}

bool module_table_unloads(struct module_table *t, const struct region *r, bool all)
{
	uint32_t epoch = atomic_load_explicit(&r->shared->epoch, memory_order_acquire);
	bool any = false;

	if (epoch == t->epoch && !all)
		return false;
	t->epoch = epoch;
	for (size_t i = 0; i < t->all.count; i++) {
		struct module_entry *m = t->all.items[i];
		struct channel_module *from = &r->modules[m->index];
		uint64_t stamp = atomic_load_explicit(&from->unload_stamp, memory_order_acquire);

		if (m->unloaded || !stamp)
			continue;
		m->unload_stamp = stamp >> r->shift;
		m->unload_epoch = atomic_load_explicit(&from->unload_epoch, memory_order_relaxed);
		m->unloaded = any = true;
	}
	return any;
}

static bool entry_holds(const struct module_entry *m, uint64_t pc, uint16_t epoch)
{
	return pc >= m->start && pc < m->end && epoch >= m->load_epoch &&
	       (!m->unloaded || epoch < m->unload_epoch);
}

const struct module_entry *module_table_find(const struct module_table *t, uint64_t frame, uint32_t flags)
{
	uint64_t pc = DEPOT_PC(frame) - !(flags & DEPOT_EXACT);
	size_t low = 0, high = t->sorted.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->sorted.items[middle]->start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	while (low--)
		if (entry_holds(t->sorted.items[low], pc, DEPOT_EPOCH(frame)))
			return t->sorted.items[low];
	return NULL;
}

uint64_t module_vaddr(const struct module_entry *m, uint64_t frame, uint32_t flags)
{
	return DEPOT_PC(frame) - !(flags & DEPOT_EXACT) - m->bias;
}

struct trace_module module_record(const struct module_entry *m)
{
	return (struct trace_module){
		.module = m->serial, .epoch = m->load_epoch,
		.start = m->start, .end = m->end, .bias = m->bias, .stamp = m->load_stamp,
		.path = trace_string(m->path),
		.build_id = { (const char *)m->build_id, m->build_id_len },
	};
}
