/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread at a safe point: nothing of the loader's or the allocator's is under way in it.
 *
 * Its stack is unwound; if it is inside libc or the loader it is let run, alone among the held ones, until it
 * has returned from there.  The other threads run. */
#ifndef INJECT_SAFE_H
#define INJECT_SAFE_H

#include "inject/threads.h"

/* Holds one such thread.  -EAGAIN: none was found in deadline_ms; nothing is held. */
int safe_thread(struct injection *, int deadline_ms, struct thread **, char reason[INJECTION_REASON]);

#endif
