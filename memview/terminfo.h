/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What terminfo knows of the terminal, before and beside curses. */
#ifndef MEMVIEW_TERMINFO_H
#define MEMVIEW_TERMINFO_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the terminal can do what the viewer needs: NULL, or a format for a sentence with one
 * %s for the terminal's type.  Into restore go, at most size, the bytes that bring the terminal
 * from curses' state to the shell's after a crash; *length says how many. */
const char *terminfo_judge(int fd, char *restore, size_t size, size_t *length);

/* Bytes that bring the terminal back to curses' state, without the colours that it may have been given by
 * its owner: a screen of so many rows, all of it to be drawn.  At most size; returns how many (after newterm). */
size_t terminfo_enter(char *out, size_t size, int rows);

/* Whether the terminal tells of its mouse (after newterm or setupterm). */
bool terminfo_has_mouse(void);

/* What all of them understand, whether the mouse was on or not. */
#define TERMINFO_MOUSE_OFF "\033[?1006l\033[?1000l"

/* Whether leaving curses brings the shell's screen back (after newterm). */
bool terminfo_has_shell_screen(void);

#endif
