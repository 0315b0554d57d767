/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a traced process came from: for the facts of its trace. */
#ifndef LAUNCHER_KIN_H
#define LAUNCHER_KIN_H

#include <sys/types.h>

#include "launcher/procfs.h"
#include "trace/format.h"

struct kin {
	unsigned number;		/* in the run; the started process is 0 */
	enum trace_came came;
	pid_t parent;			/* 0: not known */
	char parent_name[PROCFS_COMM];	/* what ran there; empty: not known */
	char *parent_trace;		/* file of its trace, or NULL; owned */
	unsigned parent_number;		/* of its trace; the process's own number: it has none */
};

#endif
