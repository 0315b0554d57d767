/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What remote calls needed in the target goes when the last thread does.  On the tracer only. */
#ifndef INJECT_REMOTE_END_H
#define INJECT_REMOTE_END_H

#include "inject/state.h"

/* t: the thread by which; NULL: there is none. */
void remote_end(struct injection *, struct thread *t);

#endif
