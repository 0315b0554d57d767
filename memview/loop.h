/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main loop: keys first, then a slice of work, then the screen. */
#ifndef MEMVIEW_LOOP_H
#define MEMVIEW_LOOP_H

#include <stdbool.h>

struct view;

/* Runs until the user or a signal ends it.  view->term is open. */
void loop_run(struct view *view);

/* Reads and digests what the input has, for at most limit_ms.  Returns whether more may be
 * waiting; *bad: the bytes are no trace at all. */
bool loop_feed(struct view *view, unsigned limit_ms, bool *bad);

#endif
