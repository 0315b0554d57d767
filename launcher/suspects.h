/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* With -f: who executed something and was not heard of again, and why. */
#ifndef LAUNCHER_SUSPECTS_H
#define LAUNCHER_SUSPECTS_H

#include "launcher/tracer.h"

/* Forgets those that connected, tells the traces of those that will not (in the teller's and the
 * root's).  True: there are others, which have a second to connect. */
bool suspects_settle(struct tracer *t);

void suspects_release(struct tracer *t);

#endif
