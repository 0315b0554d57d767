/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a run and each other: who came from whom, and what of them is told in whose trace. */
#ifndef LAUNCHER_RELATIVES_H
#define LAUNCHER_RELATIVES_H

#include "launcher/tracer.h"

/* Fills in p's kin: parent is its traced parent, or NULL (then kin.parent, if known, is asked). */
void relatives_describe(struct process *p, enum trace_came came, const struct process *parent);

/* Tells the root's trace, and the parent's, how p is now; how 0: it runs. */
void relatives_tell(struct tracer *t, const struct process *p, uint32_t how, uint32_t value);

#endif
