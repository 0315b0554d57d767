/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Markers and pauses of a session on their way into its trace: there, all events up to their stamp come before. */
#ifndef LAUNCHER_MARKS_H
#define LAUNCHER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "trace/channel.h"

struct mark {
	bool is_pause, paused;
	uint32_t snapshot;		/* number of the snapshot that it is of; 0: of none */
	uint64_t ticks;
	uint64_t since_ns;		/* when we heard of it */
	char *name;			/* of a marker; owned */
};

struct mark_queue {
	VECTOR_STRUCT(mark_list, struct mark) waiting;	/* in the order of their stamps */
	bool all;			/* nothing more comes before any of them */
	bool ever, paused;		/* there was a pause; the state that was written last */
	uint64_t calls, bytes;		/* left out in the regions that are done with */
	uint64_t told_calls;		/* the figure that was written last */
	uint32_t named;			/* the snapshot that waits for names; 0: none */
};

/* Its name is taken over. */
void mark_queue_add(struct mark_queue *marks, const struct mark *mark);

/* The region is not read any more. */
void mark_queue_leave(struct mark_queue *marks, const struct channel_region *region);

void mark_queue_release(struct mark_queue *marks);

#endif
