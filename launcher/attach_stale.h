/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What attaches left that failed or were killed: segments that nobody reads, descriptors in the target. */
#ifndef LAUNCHER_ATTACH_STALE_H
#define LAUNCHER_ATTACH_STALE_H

#include "inject/threads.h"

/* By calls of the held thread.  used: where the segment is that the hook in it knows; 0: none. */
void attach_drop_stale(struct injection *injection, struct thread *thread, uint64_t used);

#endif
