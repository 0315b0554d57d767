/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the drain takes: producers in a process of their own fill a channel at full speed, as fast as
 * they are given room, and the drain writes a .mtk of it.
 *
 *	drain [-k] THREADS EVENTS [TRACE.mtk]
 *
 * EVENTS are those of each thread: malloc and free of one address by turns, or those of the TRACE
 * with their stamps and stacks, from its start over and over.  -k: the file stays (./drain.mtk).
 * Prints what was taken a second and a second of the drain's CPU, and its bytes; fails when an event
 * is missing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/unit/drain_fixture.h"

#define CHUNKS_A_THREAD	512u	/* 4 MiB, the launcher's default */
#define NODES_MAX	(1u << 20)

static struct {
	struct trace_event *events;
	size_t count, capacity;
	uint32_t nodes;			/* ids of stacks are below */
} stream;

struct work {
	struct producer *producer;
	uint64_t count;
	unsigned shift;
	uint64_t start;
};

static void stream_append(const struct trace_event *events, size_t count)
{
	if (stream.count + count > stream.capacity) {
		stream.capacity = 2 * (stream.count + count);
		stream.events = realloc(stream.events, stream.capacity * sizeof(*events));
	}
	memcpy(&stream.events[stream.count], events, count * sizeof(*events));
	stream.count += count;
	for (size_t i = 0; i < count; i++)
		if (events[i].stack >= stream.nodes)
			stream.nodes = events[i].stack + 1;
}

static void stream_records(const uint8_t *records, size_t length)
{
	static struct trace_event events[TRACE_BATCH_MAX];
	struct trace_in in = { records, length, 0 };
	struct trace_record record;
	uint32_t thread;

	while (trace_next(&in, &record) == 1) {
		int count = record.kind == TRACE_EVENTS ?
			    trace_get_events(&record, &thread, events, TRACE_BATCH_MAX) : 0;

		if (count > 0)
			stream_append(events, (size_t)count);
	}
}

static int stream_read(const char *path)
{
	struct store_reader *reader = store_reader_new();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	static char block[1 << 20];
	struct chunk_summary summary;
	const uint8_t *records;
	size_t length;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0) {
		store_feed(reader, block, (size_t)n);
		while (store_next(reader, &records, &length, &summary) == 1)
			stream_records(records, length);
	}
	close(fd);
	store_reader_free(reader);
	return stream.count && stream.nodes <= NODES_MAX ? 0 : -1;
}

static void push(struct work *w, struct channel_thread *t, uint64_t stamp, const struct trace_event *from)
{
	uint32_t gen;
	struct channel_event *e;

	atomic_store_explicit(&t->busy, stamp, memory_order_release);
	e = producer_reserve(w->producer, t, &gen);
	producer_publish(e, gen, stamp, from->ptr, from->size | (from->inner ? EVENT_INNER : 0), from->stack,
			 from->op);
	atomic_store_explicit(&t->busy, 0, memory_order_release);
}

static void push_pairs(struct work *w, struct channel_thread *t)
{
	const struct trace_event pair[2] = {
		{ .ptr = 0x555555559010, .size = 64, .stack = DEPOT_FIRST, .op = OP_MALLOC },
		{ .ptr = 0x555555559010, .op = OP_FREE },
	};

	for (uint64_t i = 0; i < w->count; i++)
		push(w, t, producer_stamp(), &pair[i & 1]);
}

static void push_stream(struct work *w, struct channel_thread *t)
{
	uint64_t span = stream.events[stream.count - 1].stamp - stream.events[0].stamp, base = w->start >> w->shift;

	for (uint64_t i = 0, at = 0; i < w->count; i++) {
		const struct trace_event *e = &stream.events[at];

		push(w, t, (base + e->stamp - stream.events[0].stamp) << w->shift, e);
		if (++at == stream.count) {
			at = 0;
			base += span;
		}
	}
}

static void *producer_main(void *argument)
{
	struct work *w = argument;
	struct channel_thread *t = producer_thread(w->producer, "bench");

	if (stream.count)
		push_stream(w, t);
	else
		push_pairs(w, t);
	producer_exit(w->producer, t);
	return NULL;
}

struct run {
	struct work work;
	unsigned threads;
};

static void produce(struct producer *p, void *argument)
{
	struct run *run = argument;
	pthread_t ids[256];

	run->work.producer = p;
	run->work.start = producer_stamp();
	while (p->region->node_fresh <= stream.nodes)
		producer_node(p, p->region->node_fresh % 16 == 8 ? STACK_COMPLETE : p->region->node_fresh - 1,
			      0x555555400000 + p->region->node_fresh * 5 % 65521 * 16, false);
	for (unsigned i = 0; i < run->threads; i++)
		pthread_create(&ids[i], NULL, producer_main, &run->work);
	for (unsigned i = 0; i < run->threads; i++)
		pthread_join(ids[i], NULL);
}

static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static int measure(struct run *run, const char *output)
{
	struct fixture f = { .output = output };
	struct session_counters counters;
	uint64_t expected = run->threads * (run->work.count + 1), start;
	struct rusage u;
	double wall, cpu;
	off_t bytes;
	int rc;

	if (output)
		close(open(output, O_CREAT | O_TRUNC | O_WRONLY, 0666));
	fixture_open(&f, run->threads, NODES_MAX, CHUNKS_A_THREAD * run->threads, 1);
	run->work.shift = f.clock.shift;
	cpu = cpu_s();
	start = producer_stamp();
	fixture_fork(&f, produce, run);
	waitpid(f.child, NULL, 0);
	session_close(f.session, TRACE_END_EXIT, 0);
	rc = session_wait(f.session);
	wall = (double)clock_ns(&f.clock, start, producer_stamp()) * 1e-9;
	cpu = cpu_s() - cpu;
	session_counters(f.session, &counters);
	session_free(f.session);
	bytes = lseek(f.fd, 0, SEEK_END);
	fixture_close(&f);
	getrusage(RUSAGE_SELF, &u);
	printf("%u thread%s, %llu events: %.1f million a second, %.1f million a second of the drain's CPU, %.3f bytes an event, %llu stalls, %ld KiB at most\n",
	       run->threads, run->threads == 1 ? "" : "s", (unsigned long long)counters.events,
	       (double)counters.events / wall * 1e-6, (double)counters.events / cpu * 1e-6,
	       (double)bytes / (double)counters.events, (unsigned long long)counters.stalls, u.ru_maxrss);
	return rc || counters.lost || counters.events != expected;
}

int main(int argc, char **argv)
{
	bool keep = argc > 1 && strcmp(argv[1], "-k") == 0;
	struct run run = { 0 };

	argc -= keep;
	argv += keep;
	if (argc > 2) {
		run.threads = (unsigned)atoi(argv[1]);
		run.work.count = strtoull(argv[2], NULL, 10);
	}
	if (argc < 3 || argc > 4 || !run.threads || run.threads > 256 || !run.work.count) {
		fprintf(stderr, "usage: drain [-k] THREADS EVENTS [TRACE.mtk]\n");
		return 2;
	}
	if (argc == 4 && stream_read(argv[3])) {
		fprintf(stderr, "drain: %s: no trace with events\n", argv[3]);
		return 1;
	}
	if (measure(&run, keep ? "drain.mtk" : NULL)) {
		fprintf(stderr, "drain: events are missing\n");
		return 1;
	}
	return 0;
}
