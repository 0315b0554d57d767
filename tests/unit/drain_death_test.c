/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drain when things go wrong: dead producers, scribbled segments, full disks; and the ways of
 * a process: fork, exec, detach. */
#include <signal.h>

#include "tests/unit/drain_fixture.h"

static struct collected got;

static uint64_t *shared_words(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* Pushes for ever and says how far it came. */
static void push_until_killed(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "victim");
	_Atomic uint64_t *done = argument;
	uint32_t node = STACK_COMPLETE;

	for (uint64_t i = 0;; i++) {
		if (i % 64 == 0)
			node = producer_node(p, i % 1024 ? node : STACK_COMPLETE, 0x1000 + i, false);
		producer_push(p, t, i, 8, i < 1000000 ? node : STACK_NONE, OP_MALLOC);
		*done = i + 1;
		if (i >= 1000000 && i % 256 == 0)
			usleep(1000);
	}
}

static void test_killed(void)
{
	uint64_t *done = shared_words(), missing = 0, extra = 0, breaks = 0, bad = 0;

	for (int round = 0; round < 20; round++) {
		struct fixture f = { 0 };

		fixture_open(&f, 64, 1 << 18, 256, 1);
		*done = 0;
		fixture_fork(&f, push_until_killed, done);
		usleep((useconds_t)(round * 1700));
		kill(f.child, SIGKILL);
		fixture_end(&f);
		collect(&got, f.fd);
		fixture_close(&f);
		missing += got.events < *done;
		extra += got.events > *done + 1;
		breaks += got.threads[1].breaks;
		bad += got.damaged || !got.ended || got.foreign_stacks || got.end.how != TRACE_END_SIGNAL ||
		       got.end.value != SIGKILL;
		collect_release(&got);
	}
	is_int(missing, 0, "20 kills: nothing that was published is missing");
	is_int(extra, 0, "and nothing is made up");
	is_int(breaks, 0, "all in order");
	is_int(bad, 0, "in whole files that say what happened");
}

/* Dies between taking a chunk and linking it. */
static void push_unlinked(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "unlinked");

	(void)argument;
	for (uint64_t i = 0; i < CHANNEL_CHUNK_SLOTS * 3; i++)
		producer_push(p, t, i, 8, STACK_NONE, OP_MALLOC);
	producer_next_chunk(p, t, t->pos, false);
	for (uint64_t i = 0; i < 5; i++) {
		uint32_t gen;
		struct channel_event *e = producer_reserve(p, t, &gen);

		producer_publish(e, gen, producer_stamp(), CHANNEL_CHUNK_SLOTS * 3 + i, 8, STACK_NONE, OP_MALLOC);
	}
}

static void test_unlinked(void)
{
	struct fixture f = { 0 };

	fixture_run(&f, 64, push_unlinked, NULL, &got);
	is_int(got.events, CHANNEL_CHUNK_SLOTS * 3 + 5, "a chunk that was not linked yet is found");
	is_int(got.threads[1].breaks, 0, "in its place");
	collect_release(&got);
}

static uint64_t scribble_state;

static uint64_t scribble_random(void)
{
	scribble_state ^= scribble_state << 13;
	scribble_state ^= scribble_state >> 7;
	scribble_state ^= scribble_state << 17;
	return scribble_state;
}

/* A value that is more likely than not to be taken for something. */
static uint64_t scribble_value(void)
{
	uint64_t r = scribble_random();

	switch (r >> 60) {
	case 0: return 0;
	case 1: return r & 0xff;
	case 2: return r & 0xffff;
	case 3: return (r & 0xff) | 1ull << 40;
	case 4: return (r & 0xff00000000ull) | 1ull << 40 | (r & 0xffff);
	case 5: return UINT64_MAX;
	default: return r;
	}
}

/* Honest events from one thread, and garbage all over the region at the same time. */
static void push_scribble(struct producer *p, void *argument)
{
	uint64_t *words = (uint64_t *)p->region, bytes;
	struct channel_thread *t = producer_thread(p, "scribbler");

	scribble_state = *(uint64_t *)argument;
	bytes = channel_layout(64, 4096, 64, false).bytes;
	p->region->thread_fresh = 64;
	for (int i = 0; i < 64; i++)
		p->threads[i].life = 2;
	for (int round = 0; round < 12; round++) {
		for (int i = 0; i < 400; i++)	/* what is looked at first */
			words[scribble_random() % ((bytes - 64 * CHANNEL_CHUNK_BYTES) / 8)] = scribble_value();
		for (int i = 0; i < 2000; i++)
			words[scribble_random() % (bytes / 8)] = scribble_value();
		for (int i = 0; i < 100 && CHANNEL_POS_CHUNK(t->pos) <= 64; i++) {
			uint64_t pos = t->pos;
			uint32_t chunk = CHANNEL_POS_CHUNK(pos);

			if (!chunk || CHANNEL_POS_SLOT(pos) >= CHANNEL_CHUNK_SLOTS)
				break;
			producer_publish(&p->events[(chunk - 1) * CHANNEL_CHUNK_SLOTS + CHANNEL_POS_SLOT(pos)],
					 CHANNEL_POS_GEN(pos), producer_stamp(), 1, 1, (uint32_t)scribble_value(),
					 OP_MALLOC);
			t->pos = pos + 1;
		}
		usleep(2000);
	}
}

/* Chains that run in circles, nodes that are their own callers. */
static void push_circles(struct producer *p, void *argument)
{
	(void)argument;
	p->region->thread_fresh = 64;
	p->region->node_fresh = 4096;
	for (uint32_t i = DEPOT_FIRST; i < 4096; i++) {
		p->nodes[i].parent = i % 3 ? i : 4095 - (i % 4000);
		p->nodes[i].frame = i;
	}
	for (uint32_t i = 0; i < 64; i++) {
		p->threads[i].first_chunk = i + 1;
		p->threads[i].life = 2;
		p->chunks[i].owner = i;
		p->chunks[i].ordinal = 1;
		p->chunks[i].next = i % 2 ? i + 1 : i;
		for (uint32_t j = 0; j < CHANNEL_CHUNK_SLOTS; j++)
			producer_publish(&p->events[i * CHANNEL_CHUNK_SLOTS + j], 1, j, j, j, j * 16, OP_MALLOC);
	}
	usleep(100000);
}

static void test_scribbled(void)
{
	uint64_t bad = 0, slow = 0;

	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct fixture f = { 0 };
		siginfo_t info;
		uint64_t start;

		fixture_open(&f, 64, 4096, 64, 1);
		if (seed % 4)
			fixture_fork(&f, push_scribble, &seed);
		else
			fixture_fork(&f, push_circles, NULL);
		waitid(P_PID, (id_t)f.child, &info, WNOWAIT | WEXITED);
		start = producer_stamp();
		fixture_end(&f);
		slow += clock_ns(&f.clock, start, producer_stamp()) > 5000000000;
		collect(&got, f.fd);
		fixture_close(&f);
		bad += got.damaged || !got.ended || got.foreign_stacks || got.orphans || got.nameless;
		collect_release(&got);
	}
	is_int(bad, 0, "12 scribbled segments: the files are whole and make sense");
	is_int(slow, 0, "and none held the drain up");
}

static void push_some(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "some");

	for (uint64_t i = 0; i < *(uint64_t *)argument; i++)
		producer_push(p, t, i, 8, STACK_NONE, OP_MALLOC);
}

static int failures, failure;

static void on_failed(void *owner, struct session *s, int error)
{
	(void)owner, (void)s;
	failures++;
	failure = error;
}

static void test_disk_full(void)
{
	struct fixture f = { .output = "/dev/full", .events.failed = on_failed };
	uint64_t count = 500000;
	int rc;

	fixture_open(&f, 64, 1024, 32, 1);
	fixture_fork(&f, push_some, &count);
	rc = fixture_end(&f);
	fixture_close(&f);
	is_int(rc, -ENOSPC, "a full disk: the session says so");
	is_int(failures, 1, "once");
	is_int(failure, -ENOSPC, "with the reason, and the producer ran to its end");
}

static struct session *_Atomic fork_session;
static int fork_fd;

static struct session *on_fork(void *owner, struct session *parent, const struct session_channel *channel,
			       unsigned region, pid_t pid, pid_t parent_pid)
{
	struct fixture *f = owner;
	struct session_config config = { .pid = pid, .fd = fcntl(fork_fd, F_DUPFD_CLOEXEC, 3), .channel = *channel,
					 .region = region };

	if (parent != f->session || parent_pid != f->child)
		return NULL;
	fork_session = session_new(f->drain, &config);
	return fork_session;
}

static struct session_channel *fork_channel;

static void push_fork(struct producer *p, void *argument)
{
	pid_t child = fork();

	if (!child) {
		struct producer mine = producer_view(fork_channel, atomic_fetch_add(&p->header->regions_used, 1));

		producer_claim(&mine);
		push_some(&mine, argument);
		_exit(0);
	}
	push_some(p, argument);
	waitpid(child, NULL, 0);
	usleep(100000);
}

static void test_fork(void)
{
	struct fixture f = { .events.fork = on_fork };
	uint64_t count = 50000;

	fork_fd = fixture_file();
	fixture_open(&f, 64, 1024, 32, 4);
	fork_channel = &f.channel;
	fixture_fork(&f, push_fork, &count);
	waitid(P_PID, (id_t)f.child, &(siginfo_t){ 0 }, WNOWAIT | WEXITED);
	ok(fork_session != NULL, "a fork child that claims a region is told of");
	fixture_end(&f);
	if (fork_session) {
		session_close(fork_session, TRACE_END_EXIT, 0);
		session_wait(fork_session);
		session_free(fork_session);
	}
	collect(&got, f.fd);
	is_int(got.events, count, "the parent's file has the parent's events");
	collect_release(&got);
	collect(&got, fork_fd);
	fixture_rules(&got, "fork");
	is_int(got.events, count, "the child's file has the child's");
	collect_release(&got);
	fixture_close(&f);
	close(fork_fd);
}

/* Two images of one process: the second segment stands for what connects after the exec. */
static void push_exec(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "before");
	struct producer next = producer_view(fork_channel, 0);
	uint32_t node = producer_node(p, STACK_COMPLETE, 0x1111, false);

	(void)argument;
	for (uint64_t i = 0; i < 5000; i++)
		producer_push(p, t, i, 8, node, OP_MALLOC);
	producer_claim(&next);
	t = producer_thread(&next, "after");
	node = producer_node(&next, STACK_COMPLETE, 0x2222, false);
	for (uint64_t i = 0; i < 7000; i++)
		producer_push(&next, t, i, 8, node, OP_MALLOC);
}

static int released;

static void on_release(void *owner)
{
	(void)owner;
	released++;
}

static void test_exec(void)
{
	struct fixture f = { 0 };
	struct session_channel second = producer_channel(64, 1024, 64, 1);

	fork_channel = &second;
	fixture_open(&f, 64, 1024, 64, 1);
	f.channel.release = second.release = on_release;
	fixture_fork(&f, push_exec, NULL);
	usleep(50000);
	session_exec(f.session, &second, "/bin/second");
	fixture_end(&f);
	collect(&got, f.fd);
	fixture_close(&f);
	fixture_rules(&got, "exec");
	is_int(got.execs, 1, "an exec is told");
	is_int(got.threads[1].events, 5000, "what the old image published is there");
	is_int(got.threads[2].events, 7000, "and what the new one did, in the same file");
	is_int(got.nodes, 2, "with stacks of their own");
	is_int(released, 2, "both segments are let go");
	collect_release(&got);
	producer_channel_free(&second);
}

static void push_until_closing(struct producer *p, void *argument)
{
	struct channel_thread *t = producer_thread(p, "detached");

	(void)argument;
	for (uint64_t i = 0; !p->header->closing; i++) {
		producer_push(p, t, i, 8, STACK_NONE, OP_MALLOC);
		usleep(100);
	}
	_exit(7);
}

static void test_detach(void)
{
	struct fixture f = { 0 };
	struct trace_rss rss = { .rss = 4096, .anon = 1024 };
	int status = 0;

	fixture_open(&f, 64, 1024, 64, 1);
	fixture_fork(&f, push_until_closing, NULL);
	usleep(100000);
	session_add_rss(f.session, &rss);
	session_add_note(f.session, "mind the gap");
	session_add_child(f.session, 77, "untraced", "");
	session_close(f.session, TRACE_END_DETACH, 0);
	is_int(session_wait(f.session), 0, "detach: the session ends while the process lives");
	session_free(f.session);
	waitpid(f.child, &status, 0);
	is_int(WEXITSTATUS(status), 7, "which learns of it and goes on");
	collect(&got, f.fd);
	fixture_close(&f);
	fixture_rules(&got, "detach");
	is_int(got.end.how, TRACE_END_DETACH, "the end says so");
	ok(got.rss == 1 && got.children == 1 && got.notes == 1, "what the launcher added is there");
	is_string(got.last_note, "mind the gap", "the note too");
	collect_release(&got);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_killed();
	test_unlinked();
	test_scribbled();
	test_disk_full();
	test_fork();
	test_exec();
	test_detach();
	return done_testing();
}
