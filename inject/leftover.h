/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a memtrack that was killed in the midst of a remote call left in the gaps of the program's code.  Threads
 * may still be on their way through it, back to what they were doing. */
#ifndef INJECT_LEFTOVER_H
#define INJECT_LEFTOVER_H

#include "inject/threads.h"

/* Needs no stop. */
bool leftover_is_there(struct injection *);

/* All threads held: puts back what the file has, where no thread will come any more.  -EAGAIN: one will, try again
 * when it has. */
int leftover_remove(struct injection *, char reason[INJECTION_REASON]);

#endif
