/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why threads could not be held, in a line. */
#ifndef INJECT_HOLD_REASON_H
#define INJECT_HOLD_REASON_H

#include "inject/state.h"

/* Whether a thread is in vfork or its like: it will not stop before its child runs a program or ends. */
bool hold_waits_for_child(const struct injection *, pid_t tid);

/* The thread matters for -ETIMEDOUT only.  Returns rc. */
int hold_reason(const struct injection *, pid_t tid, int rc, char reason[INJECTION_REASON]);

#endif
