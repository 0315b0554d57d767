/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From curses' key codes to memview/keys.h. */
#ifndef MEMVIEW_TERM_KEYS_H
#define MEMVIEW_TERM_KEYS_H

/* Reads one key of the current curses screen without blocking; KEYS_NONE when none waits. */
int term_keys_read(void);

#endif
