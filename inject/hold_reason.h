/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why threads could not be held, in a line. */
#ifndef INJECT_HOLD_REASON_H
#define INJECT_HOLD_REASON_H

#include "inject/state.h"

/* The thread matters for -ETIMEDOUT only.  Returns rc. */
int hold_reason(const struct injection *, pid_t tid, int rc, char reason[INJECTION_REASON]);

#endif
