/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mouse does: the wheel scrolls what is under it, a click selects, a second one enters. */
#ifndef MEMVIEW_MOUSE_H
#define MEMVIEW_MOUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "memview/layout.h"
#include "memview/term.h"

struct view;

void mouse_act(struct view *view, const struct term_mouse_event *event);

/* A second click on the same line of a pane (or what stands for it) soon after the first. */
bool mouse_is_second(struct view *view, enum pane pane, size_t row);

#endif
