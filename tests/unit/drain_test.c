/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drain with well-behaved producers: nothing lost, nothing twice, order, room given back. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/drain_fixture.h"

#ifdef __SANITIZE_THREAD__
#define TSAN_BUILD	true
#else
#define TSAN_BUILD	false
#endif

static struct collected got;

static void push_many(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "worker (1) ]");
	uint64_t count = *(uint64_t *)argument;

	for (uint64_t i = 0; i < count; i++)
		producer_push(p, t, i, i % 1000, STACK_NONE, OP_MALLOC);
}

static void test_plain(void)
{
	struct fixture f = { 0 };
	uint64_t count = 100000;

	fixture_run(&f, 4096, push_many, &count, &got);
	fixture_rules(&got, "plain");
	is_int(got.events, count, "every event of one thread is there");
	is_int(got.threads[1].breaks, 0, "once each, in their order");
	is_string(got.threads[1].name, "worker (1) ]", "under the thread's name");
	is_int(got.end.how, TRACE_END_EXIT, "the end says how it ended");
	ok(got.syncs > 0 && got.clocks >= 2, "with a clock, refined at the end, and order marks");
	collect_release(&got);
}

/* 16 chunks used thousands of times: generations and the chain of chunks wrap round and round. */
static void test_recycling(void)
{
	struct fixture f = { 0 };
	struct session_counters counters;
	uint64_t count = 3000000, start, ns;
	siginfo_t info;

	fixture_open(&f, 64, 1024, 16, 1);
	start = producer_stamp();
	fixture_fork(&f, push_many, &count);
	waitid(P_PID, (id_t)f.child, &info, WNOWAIT | WEXITED);
	ns = (uint64_t)clock_ns(&f.clock, start, producer_stamp());
	usleep(100000);
	session_counters(f.session, &counters);
	is_int(fixture_end(&f), 0, "a small pool: the session ends well");
	collect(&got, f.fd);
	fixture_close(&f);
	fixture_rules(&got, "small pool");
	is_int(got.events, count, "every event passed through 16 chunks");
	is_int(got.threads[1].breaks, 0, "in order");
	ok(counters.stalls > 0, "the producer had to wait (%llu times) and was woken", (unsigned long long)counters.stalls);
	printf("# %.1f million events a second under back-pressure\n", (double)count * 1e3 / (double)ns);
	collect_release(&got);
}

static void push_sizes(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "sizes");
	uint64_t count = *(uint64_t *)argument;

	for (uint64_t i = 0; i < count; i++)
		producer_push(p, t, i, i * 2654435761u % 100000, STACK_NONE, OP_MALLOC);
}

/* Whoever takes the output takes a little now and then. */
struct slow_reader {
	int pipe, file;
	_Atomic bool last;	/* nothing more is written */
};

static void *read_slowly(void *argument)
{
	struct slow_reader *r = argument;
	char block[8192];

	for (;;) {
		bool last = r->last;
		ssize_t n = read(r->pipe, block, sizeof(block));

		if (n > 0)
			(void)!write(r->file, block, (size_t)n);
		else if (last)
			return NULL;
		usleep(last ? 0 : 5000);
	}
}

static void test_slow_sink(void)
{
	char folder[] = "/tmp/drain-slow-XXXXXX", path[64];
	struct fixture f = { .output = path };
	struct slow_reader reader = { .file = fixture_file() };
	struct session_counters counters;
	uint64_t count = 300000;
	pthread_t thread;

	snprintf(path, sizeof(path), "%s/fifo", mkdtemp(folder));
	mkfifo(path, 0600);
	fixture_open(&f, 64, 1024, 64, 1);
	fcntl(f.fd, F_SETPIPE_SZ, 4096);
	reader.pipe = open(path, O_RDONLY | O_NONBLOCK);
	pthread_create(&thread, NULL, read_slowly, &reader);
	fixture_fork(&f, push_sizes, &count);
	waitid(P_PID, (id_t)f.child, &(siginfo_t){ 0 }, WNOWAIT | WEXITED);
	session_counters(f.session, &counters);
	is_int(fixture_end(&f), 0, "an output that takes little: the session ends well");
	reader.last = true;
	pthread_join(thread, NULL);
	collect(&got, reader.file);
	fixture_close(&f);
	fixture_rules(&got, "slow output");
	is_int(got.events, count, "nothing is lost");
	is_int(got.threads[1].breaks, 0, "and all in order");
	ok(counters.stalls > 0, "since the producer waited (%llu times)", (unsigned long long)counters.stalls);
	collect_release(&got);
	close(reader.pipe);
	close(reader.file);
	unlink(path);
	rmdir(folder);
}

static void push_holes(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "holes");
	uint64_t next = 0;
	uint32_t gen;

	(void)argument;
	for (int i = 0; i < 20000; i++) {
		if (i % 7 == 0)		/* abandoned by a longjmp, never voided */
			producer_reserve(p, t, &gen);
		else if (i % 11 == 0)	/* voided by the next outer call */
			producer_push(p, t, 0, 0, STACK_NONE, OP_VOID);
		else
			producer_push(p, t, next++, 8, STACK_NONE, OP_MALLOC);
	}
	*(uint64_t *)argument = next;
}

static uint64_t *shared_words(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void test_holes(void)
{
	struct fixture f = { 0 };
	uint64_t *count = shared_words();

	fixture_run(&f, 4096, push_holes, count, &got);
	fixture_rules(&got, "holes");
	is_int(got.events, *count, "abandoned and void slots are passed over");
	is_int(got.threads[1].breaks, 0, "and cost no event behind them");
	collect_release(&got);
}

/* Without a look in between, the drain cannot know that the holes are holes, and the producer
 * waits for room behind them. */
static void test_holes_blocking(void)
{
	struct fixture f = { 0 };
	uint64_t *count = shared_words();

	fixture_run(&f, 80, push_holes, count, &got);
	is_int(got.events, *count, "a thread that waits behind its own hole gets going");
	is_int(got.threads[1].breaks, 0, "and loses nothing else");
	collect_release(&got);
}

/* A slot reserved by an outer call that a signal handler interrupts: later ones wait for it. */
static void push_late(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "late");
	struct channel_event *e;
	uint32_t gen, other;

	(void)argument;
	for (int round = 0; round < 5; round++) {
		uint64_t stamp = producer_stamp();

		t->busy = stamp;
		e = producer_reserve(p, t, &gen);
		for (uint64_t i = 1; i < 4; i++) {
			struct channel_event *inner = producer_reserve(p, t, &other);

			producer_publish(inner, other, producer_stamp(), (uint64_t)round * 4 + i, 8, STACK_NONE,
					 OP_MALLOC);
		}
		usleep(60000);
		producer_publish(e, gen, producer_stamp(), (uint64_t)round * 4, 8, STACK_NONE, OP_MALLOC);
		t->busy = 0;
	}
}

static void test_late(void)
{
	struct fixture f = { 0 };

	fixture_run(&f, 64, push_late, NULL, &got);
	is_int(got.events, 20, "a slot in work hides those behind it, and loses none");
	is_int(got.threads[1].breaks, 0, "and comes first");
	is_int(got.late, 0, "and no SYNC passes it by");
	collect_release(&got);
}

static void push_stacks(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "stacks");
	uint32_t node = STACK_COMPLETE, hole = 0;

	(void)argument;
	for (uint64_t i = 0; i < 30000; i++) {
		if (i % 40 == 0)
			node = STACK_COMPLETE;
		if (hole) {	/* written before it is used, long after its number was given */
			atomic_store(&p->nodes[hole].frame, 0x400000 + i);
			node = hole;
			hole = 0;
		} else {
			node = producer_node(p, node, 0x400000 + i, false);
		}
		if (i % 5 == 0)
			hole = producer_node(p, node, 0, true);
		producer_push(p, t, i, 16, node, OP_MALLOC);
	}
}

static void test_stacks(void)
{
	struct fixture f = { 0 };

	fixture_run(&f, 256, push_stacks, NULL, &got);
	fixture_rules(&got, "stacks");
	is_int(got.events, 30000, "events with stacks are all there");
	ok(got.nodes >= 30000, "with their nodes, also those written late (%llu)", (unsigned long long)got.nodes);
	collect_release(&got);
}

static void push_lost(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "loser");

	(void)argument;
	producer_push(p, t, 0, 1, STACK_NONE, OP_MALLOC);
	t->lost = 5;
	usleep(100000);
	t->lost = 12;
	p->region->unslotted = 30;
	producer_push(p, t, 1, 1, STACK_NONE, OP_MALLOC);
}

static void test_lost(void)
{
	struct fixture f = { 0 };

	fixture_run(&f, 64, push_lost, NULL, &got);
	is_int(got.threads[1].lost, 12, "the losses of a thread add up");
	is_int(got.threads[0].lost, 30, "and those of threads without a slot");
	collect_release(&got);
}

struct churn {
	struct producer *producer;
	uint64_t number;
};

static void *churn_thread(void *argument)
{
	struct churn *churn = argument;
	struct producer *p = churn->producer;
	struct channel_thread *t;
	char name[16];

	snprintf(name, sizeof(name), "t%u", (unsigned)churn->number);
	while (!(t = producer_thread(p, name)))
		usleep(5000);
	t->bytes = churn->number;
	for (uint64_t i = 0; i < 300; i++)
		producer_push(p, t, i, 1, STACK_NONE, OP_MALLOC);
	if (churn->number % 2)
		producer_exit(p, t);	/* the others end without a word */
	return NULL;
}

/* 150 threads through 16 slots and 64 chunks. */
static void push_churn(struct producer *p, void *argument)
{
	(void)argument;
	producer_thread(p, "main");
	for (uint64_t i = 0; i < 150; i += 3) {
		pthread_t ids[3];
		struct churn churns[3];

		for (uint64_t j = 0; j < 3; j++) {
			churns[j] = (struct churn){ p, i + j };
			pthread_create(&ids[j], NULL, churn_thread, &churns[j]);
		}
		for (int j = 0; j < 3; j++)
			pthread_join(ids[j], NULL);
	}
}

static void test_churn(void)
{
	struct fixture f = { 0 };
	uint64_t breaks = 0, named = 0;
	char name[16];

	fixture_open(&f, 16, 1024, 64, 1);
	fixture_fork(&f, push_churn, NULL);
	fixture_end(&f);
	collect(&got, f.fd);
	fixture_close(&f);
	fixture_rules(&got, "churn");
	is_int(got.thread_count, 151, "150 threads and main went through 16 slots");
	for (unsigned i = 1; i <= got.thread_count && i < COLLECT_THREADS; i++) {
		breaks += got.threads[i].breaks;
		for (unsigned j = 0; j < 150; j++) {
			snprintf(name, sizeof(name), "t%u", j);
			named += !strcmp(got.threads[i].name, name) && got.threads[i].next == 300;
		}
	}
	is_int(breaks, 0, "each with its own events in order");
	is_int(named, 150, "all 300 of them, under its own name");
	collect_release(&got);
}

static void *sync_thread(void *argument)
{
	struct producer *p = argument;
	struct channel_thread *t = producer_thread(p, "sync");

	for (uint64_t i = 0; i < 200000; i++)
		producer_push(p, t, i, 1, STACK_NONE, OP_MALLOC);
	return NULL;
}

static void push_sync(struct producer *p, void *argument)
{
	pthread_t ids[4];

	(void)argument;
	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, sync_thread, p);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
}

static void test_sync(void)
{
	struct fixture f = { 0 };

	fixture_run(&f, 512, push_sync, NULL, &got);
	is_int(got.events, 800000, "four threads at once: all events are there");
	is_int(got.late, 0, "none is older than a SYNC in front of it");
	ok(got.syncs >= 3, "and SYNC moves on (%llu)", (unsigned long long)got.syncs);
	collect_release(&got);
}

int main(void)
{
	test_plain();
	test_recycling();
	test_slow_sink();
	test_holes();
	test_holes_blocking();
	test_late();
	test_stacks();
	test_lost();
	if (TSAN_BUILD) {
		skip(9, "ThreadSanitizer bears no threads in a fork child");
		return done_testing();
	}
	test_churn();
	test_sync();
	return done_testing();
}
