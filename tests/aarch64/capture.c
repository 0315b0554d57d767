/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One region, one thread, of which only the stacks are wanted. */
#include "tests/aarch64/capture.h"

#include <sys/mman.h>

#include "hook/caller.h"
#include "hook/core.h"
#include "hook/unwind.h"
#include "trace/channel.h"

#define EXPORT __attribute__((visibility("default")))

struct hook hook = { .clock = CLOCK_TSC };

uint64_t clock_nanoseconds(void)
{
	return 1;
}

static struct channel_header header = { .threads_max = 2, .nodes_max = 1u << 20, .chunks_max = 16 };
static struct depot_node *nodes;
static struct channel_thread *threads;

static void *reserve(size_t size)
{
	return mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

EXPORT void capture_init(uintptr_t low, uintptr_t high)
{
	struct channel_layout l = channel_layout(header.threads_max, header.nodes_max, header.chunks_max, false);
	char *region = reserve(l.bytes);

	threads = (void *)(region + l.threads);
	nodes = (void *)(region + l.nodes);
	((struct channel_region *)region)->node_fresh = DEPOT_FIRST;
	unwind_init(reserve(unwind_reserve_bytes(header.threads_max)), &header, (void *)region, CAPTURE_DEPTH);
	for (unsigned slot = 0; slot < 2; slot++) {
		unwind_thread_start(slot, &threads[slot]);
		threads[slot].stack_low = low;
		threads[slot].stack_high = high;
	}
}

EXPORT int capture_from(struct capture *c)
{
	uint32_t id = unwind_capture(0, &threads[0], c->pc, c->sp, c->fp), again;

	unwind_thread_start(1, &threads[1]);
	again = unwind_capture(1, &threads[1], c->pc, c->sp, c->fp);
	c->count = 0;
	for (c->root = id; c->root >= DEPOT_FIRST && c->count < CAPTURE_DEPTH; c->root = nodes[c->root].parent)
		c->frames[c->count++] = (struct capture_frame){ DEPOT_PC(nodes[c->root].frame),
								nodes[c->root].flags & DEPOT_EXACT };
	return id == again;
}

EXPORT __attribute__((noinline)) int capture_here(struct capture *c)
{
	struct caller caller = CALLER();

	c->pc = caller_pc(caller);
	c->sp = caller_sp(caller);
	c->fp = caller_fp(caller);
	return capture_from(c);
}
