/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mouse does: the wheel scrolls what is under it, a click selects, a second one enters. */
#ifndef MEMVIEW_MOUSE_H
#define MEMVIEW_MOUSE_H

#include "memview/term.h"

struct view;

void mouse_act(struct view *view, const struct term_mouse_event *event);

#endif
