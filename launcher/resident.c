/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/maps and /proc/PID/pagemap into RESIDENT records. */
#include "launcher/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vector.h"
#include "launcher/session.h"
#include "symbols/living.h"
#include "symbols/maps.h"
#include "trace/resident.h"

#define COST_SHARE	100u		/* a sample may take 1/100 of the time */
#define AGE_SHARE	10u		/* the first ones come faster: after another tenth of the age */
#define FIRST_NS	20000000ull
#define PAGES_MAX	(4u << 20)	/* looked at in one sample: 32 MiB of pagemap */
#define BATCH		4096u		/* pages */
#define PRESENT		(1ull << 63)

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/* Where an allocator's blocks may lie.  Which of these hold any, the reader knows. */
static bool may_hold_blocks(const struct map_entry *m)
{
	return m->read && m->write && !m->shared && !m->inode &&
		(!*m->name || !strcmp(m->name, "[heap]") || !strncmp(m->name, "[anon:", 6));
}

/* The page before each reservation of the hook, which nobody may touch. */
#define GUARD_BYTES	4096

struct span {
	uint64_t start, end, flags;
};
VECTOR_STRUCT(spans, struct span);

/* The part of [start, end) before the first of the hook's own ranges; *next is where to go on. */
static uint64_t part_end(const struct channel_region *region, uint64_t start, uint64_t end, uint64_t *next)
{
	*next = end;
	for (size_t i = 0; i < CHANNEL_OWN_MAX; i++) {
		uint64_t from = atomic_load(&region->own[i].start), to = atomic_load(&region->own[i].end);

		if (from >= to || to <= start || from >= end)
			continue;
		end = from > start ? from : start;
		*next = to < *next ? to : *next;
	}
	return end;
}

uint64_t resident_own(const struct channel_region *region)
{
	uint64_t sum = 0;

	for (size_t i = 0; region && i < CHANNEL_OWN_MAX; i++) {
		uint64_t from = atomic_load(&region->own[i].start), to = atomic_load(&region->own[i].end);

		if (to > from + GUARD_BYTES)
			sum += to - from - GUARD_BYTES;
	}
	return sum;
}

/* The kernel joins neighbouring mappings: the hook's own memory is cut out. */
static void collect(struct spans *spans, const struct maps *maps, const struct channel_region *region)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct map_entry *m = &maps->items[i];
		uint64_t next;

		for (uint64_t at = m->start; may_hold_blocks(m) && at < m->end; at = next) {
			struct span s = { at, part_end(region, at, m->end, &next),
					  strcmp(m->name, "[heap]") ? 0 : RESIDENT_BREAK };

			if (s.end > s.start)
				vector_push(spans, s);
		}
	}
}

static uint64_t count_pages(const struct spans *spans, uint64_t page)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < spans->count; i++)
		pages += (spans->items[i].end - spans->items[i].start) / page;
	return pages;
}

/* The pages of one mapping; what cannot be read (it went away meanwhile) is absent. */
static void pack_pages(struct resident_pack *pack, int fd, uint64_t first, uint64_t pages)
{
	uint64_t entries[BATCH];

	while (pages) {
		size_t n = pages < BATCH ? (size_t)pages : BATCH;
		ssize_t got = pread(fd, entries, n * sizeof(*entries), (off_t)(first * sizeof(*entries)));
		size_t known = got < 0 ? 0 : (size_t)got / sizeof(*entries);

		for (size_t i = 0; i < known; i++)
			resident_pack_run(pack, entries[i] & PRESENT, 1);
		resident_pack_run(pack, false, n - known);
		first += n;
		pages -= n;
	}
	resident_pack_end(pack);
}

static const char *pack_spans(struct resident_pack *pack, int fd, const struct spans *spans, uint64_t page)
{
	if (count_pages(spans, page) > PAGES_MAX)
		return "the address space is too large to look at all its pages";
	for (size_t i = 0; i < spans->count && !pack->full; i++) {
		const struct span *s = &spans->items[i];
		struct resident_map map = { s->start / page, (s->end - s->start) / page, (uint32_t)s->flags };

		resident_pack_map(pack, &map);
		pack_pages(pack, fd, map.first, map.pages);
	}
	return pack->full ? "the resident pages are too scattered to be recorded" : NULL;
}

static const char *take(struct session *s, int fd, const struct spans *spans, uint64_t stamp)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct trace_resident resident = { .stamp = stamp, .page = page };
	struct trace_out out = { .data = xmalloc(TRACE_RESIDENT_MAX), .capacity = TRACE_RESIDENT_MAX };
	struct resident_pack pack = { .out = &out };
	const char *failed = pack_spans(&pack, fd, spans, page);

	if (failed) {
		free(out.data);
		return failed;
	}
	resident.count = pack.count;
	resident.packed = (struct trace_string){ xrealloc(out.data, out.length ? out.length : 1), out.length };
	session_add_resident(s, &resident);
	return NULL;
}

/* NULL, or why there is no sample. */
static const char *sample(struct session *s, pid_t pid, const struct channel_region *region)
{
	struct spans spans = { 0 };
	const char *failed = NULL;
	uint64_t stamp;
	struct maps maps;
	int fd = living_open(pid, "pagemap", O_RDONLY);

	if (fd < 0)
		return fd == -ENOENT || fd == -ESRCH ? NULL : "/proc/PID/pagemap cannot be read";
	stamp = session_ticks(s);	/* before: what is live then lies in the mappings read now */
	if (maps_read(pid, &maps) == 0) {
		collect(&spans, &maps, region);
		if (spans.count)	/* a zombie has none */
			failed = take(s, fd, &spans, stamp);
		vector_release(&spans);
		maps_release(&maps);
	}
	close(fd);
	return failed;
}

static uint64_t pause_after(const struct resident *r, uint64_t cost, unsigned interval_ms, uint64_t now)
{
	uint64_t pause = interval_ms * 1000000ull, early = (now - r->since_ns) / AGE_SHARE;

	if (early < pause)
		pause = early < FIRST_NS ? FIRST_NS : early;
	return cost * COST_SHARE > pause ? cost * COST_SHARE : pause;
}

uint64_t resident_watch(struct resident *r, struct session *s, pid_t pid,
			const struct channel_region *region, unsigned interval_ms, uint64_t now_ns)
{
	uint64_t before;

	if (r->failed || !interval_ms)
		return UINT64_MAX;
	if (!r->since_ns) {
		r->since_ns = now_ns;
		r->due_ns = now_ns + FIRST_NS;
	}
	if (now_ns >= r->due_ns) {
		before = cpu_now();
		r->failed = sample(s, pid, region);
		if (r->failed)
			session_add_fact(s, "residency", r->failed);
		r->due_ns = now_ns + pause_after(r, cpu_now() - before, interval_ms, now_ns);
	}
	return r->due_ns - now_ns;
}
