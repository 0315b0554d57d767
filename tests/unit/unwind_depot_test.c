/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The depot: ids name exact stacks, also when threads insert the same ones while the index grows;
 * a full depot says so. */
#include "hook/depot.h"

#include <pthread.h>
#include <sys/mman.h>

#include "hook/unwind_walk.h"
#include "tests/tap.h"
#include "trace/channel.h"

#define THREADS	4
#define STACKS	60000
#define FRAMES	6

static struct channel_region *region;
static struct depot_node *nodes;
static uint32_t ids[THREADS][STACKS];

static void start(uint32_t nodes_max)
{
	struct channel_header h = { .threads_max = 1, .nodes_max = nodes_max, .chunks_max = 1 };
	struct channel_layout l = channel_layout(1, nodes_max, 1, false);

	region = mmap(NULL, l.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	nodes = (void *)((char *)region + l.nodes);
	depot_init(&h, region);
}

/* Stack `n`, outermost frame first: neighbours share outer frames. */
static uint64_t frame_of(unsigned n, unsigned level)
{
	uint64_t frame = 0x400000 + 16 * (n >> 3 * (FRAMES - 1 - level)) + level;

	return n % 5 == 0 && level == FRAMES - 1 ? frame | FRAME_EXACT : frame;
}

static uint32_t insert(unsigned n)
{
	uint32_t id = STACK_COMPLETE;
	uint64_t path = id;

	for (unsigned level = 0; level < FRAMES && id; level++) {
		path = depot_path(path, frame_of(n, level));
		id = depot_child(id, frame_of(n, level), path);
	}
	return id;
}

static int rebuilds(uint32_t id, unsigned n)
{
	for (unsigned level = FRAMES; level-- > 0;) {
		uint64_t frame = frame_of(n, level);

		if (id < DEPOT_FIRST || nodes[id].frame != (frame & ~FRAME_EXACT) ||
		    nodes[id].flags != (frame & FRAME_EXACT ? DEPOT_EXACT : 0))
			return 0;
		id = nodes[id].parent;
	}
	return id == STACK_COMPLETE;
}

static void *work(void *argument)
{
	unsigned me = (unsigned)(uintptr_t)argument;

	for (unsigned i = 0; i < STACKS; i++) {
		unsigned n = me % 2 ? i : STACKS - 1 - i;

		ids[me][n] = insert(n);
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	unsigned wrong = 0, twice = 0;

	start(1 << 20);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned t = 0; t < THREADS; t++) {
		for (unsigned n = 0; n < STACKS; n++) {
			wrong += !rebuilds(ids[t][n], n);
			twice += ids[t][n] != ids[0][n];
		}
	}
	is_int(wrong, 0, "every id names the stack it was made for");
	ok(region->index_depth >= 8, "the index grew (depth %u, %u pages)", region->index_depth, region->index_pages);
	ok(twice < STACKS / 10, "few frames have two nodes (%u ids differ)", twice);
	is_int(insert(7), insert(7), "a stack that is known has one id");
	ok(insert(5) != insert(6), "an interrupted pc is not a return address");
}

static void test_full(void)
{
	unsigned n = 0;
	uint32_t id;

	start(1000);
	while ((id = insert(n)) && n < STACKS)
		n++;
	is_int(id, 0, "a full depot has no id to give");
	ok(rebuilds(insert(0), 0), "what it holds it still finds");
	ok(region->node_fresh <= 1000, "it stays inside its nodes");
}

int main(void)
{
	test_threads();
	test_full();
	return done_testing();
}
