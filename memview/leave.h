/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaving the viewer while the program that it was opened for runs: what is to become of it. */
#ifndef MEMVIEW_LEAVE_H
#define MEMVIEW_LEAVE_H

#include <stdbool.h>

struct view;

/* Ends the viewer, or asks first. */
void leave(struct view *view);

/* Whether a wish to end concerns more than the viewer: a program was started with it, or is traced for it. */
bool leave_concerns(const struct view *view);

/* While it asks: a key, and the screen.  A key that is no answer changes nothing. */
bool leave_is_asked(const struct view *view);
void leave_key(struct view *view, int key);
void leave_draw(const struct view *view);

#endif
