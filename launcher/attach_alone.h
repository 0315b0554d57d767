/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work in a process that no other memtrack traces: neither before, nor as long as it lasts. */
#ifndef LAUNCHER_ATTACH_ALONE_H
#define LAUNCHER_ATTACH_ALONE_H

#include "inject/process.h"

typedef int attach_work(struct injection *injection, char reason[INJECTION_REASON]);

/* With all threads held, without which no session can begin.  -EALREADY: another memtrack has one. */
int attach_alone(struct injection *injection, attach_work *work, char reason[INJECTION_REASON]);

#endif
