/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a trace that still grows up to a moment, and writing what lives then. */
#ifndef LAUNCHER_SNAPSHOT_CHILD_H
#define LAUNCHER_SNAPSHOT_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"

struct snapshot_job {
	int trace;			/* for pread() */
	int out;			/* the file to be written */
	uint64_t stamp;			/* the moment, in the trace's stamps */
	unsigned number;		/* of the snapshot */
	size_t sessions;		/* so many processes of the trace shall have come to it */
};

/* 0, or -errno: -ETIME when the trace did not come to that moment.  sums are added to. */
int snapshot_write(const struct snapshot_job *job, struct snapshot_sums *sums);

#endif
