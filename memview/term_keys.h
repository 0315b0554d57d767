/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From curses' key codes to memview/keys.h, and the mouse's sequences to events. */
#ifndef MEMVIEW_TERM_KEYS_H
#define MEMVIEW_TERM_KEYS_H

#include "memview/term.h"

/* Reads one key of the current curses screen without blocking; KEYS_NONE when none waits.  For
 * KEYS_MOUSE *mouse is set. */
int term_keys_read(struct term_mouse_event *mouse);

/* What waits came just now: Esc and a key that come together are Alt with that key. */
void term_keys_came(void);

#endif
