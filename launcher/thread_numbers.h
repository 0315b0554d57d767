/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a process that may know them by other numbers than we do: it is in a pid namespace of its own. */
#ifndef LAUNCHER_THREAD_NUMBERS_H
#define LAUNCHER_THREAD_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

struct thread_number {
	pid_t outer, inner;	/* inner 0: not read yet; -1: it had ended by then */
};

/* One look.  Zeroed: not looked yet. */
struct thread_numbers {
	unsigned depth;		/* how many namespaces deep; 0: not known */
	bool listed, complete;	/* complete: these are all, certainly */
	VECTOR(struct thread_number) items;
};

/* By which number we know the thread that pid knows as tid; 0: it was not found. */
pid_t thread_numbers_outer(struct thread_numbers *n, pid_t pid, uint32_t tid);

/* False only when it is certain: the process is visible (no hidepid), and neither it nor, in its namespace, one
 * that might share only its memory has that number. */
bool thread_numbers_exists(struct thread_numbers *n, pid_t pid, uint32_t tid);

void thread_numbers_release(struct thread_numbers *n);

#endif
