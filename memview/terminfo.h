/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What terminfo knows of the terminal, before and beside curses. */
#ifndef MEMVIEW_TERMINFO_H
#define MEMVIEW_TERMINFO_H

#include <stddef.h>

/* Whether the terminal can do what the viewer needs: NULL, or a format for a sentence with one
 * %s for the terminal's type. */
const char *terminfo_judge(int fd);

/* The bytes that bring the terminal from curses' state to the shell's, for a crash: at most size
 * of them into out; returns how many.  After terminfo_judge(). */
size_t terminfo_restore(char *out, size_t size);

#endif
