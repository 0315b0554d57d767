/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A segment, and a target that writes it as the steps of an input say: well, or anything. */
#ifndef TESTS_FUZZ_HOSTILE_H
#define TESTS_FUZZ_HOSTILE_H

#include "launcher/session.h"
#include "tests/fuzz/target.h"

#define HOSTILE_THREADS	8u
#define HOSTILE_NODES	256u
#define HOSTILE_CHUNKS	8u

struct hostile {
	struct session_channel channel;
	struct channel_region *region;
	struct channel_thread *threads;
	struct channel_module *modules;
	struct depot_node *nodes;
	struct channel_chunk *chunks;
	struct channel_event *events;
	char *counters;
	uint64_t now;			/* ticks: the caller's at the start, then it moves by steps */
	uint32_t modules_used;		/* what is to be cleared */
	bool counters_used;
	struct {
		uint32_t chunk, slot, ordinal;	/* chunk: index + 1, 0 none */
	} writer[HOSTILE_THREADS];
};

/* What the caller has to do. */
enum hostile_wish { HOSTILE_NOTHING, HOSTILE_PASS, HOSTILE_GONE, HOSTILE_EXEC };

void hostile_map(struct hostile *h);

/* As it is before the hook has started. */
void hostile_clear(struct hostile *h);

enum hostile_wish hostile_step(struct hostile *h, struct fuzz_in *in);

#endif
