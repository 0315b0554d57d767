/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where things are on the screen:
 *
 *	0  state, file, counts                      header
 *	1  filter, thread, sort, leaks, follow
 *	2  timeline (may be off)
 *	-  rule
 *	   list            | detail                 body
 *	-  rule
 *	   threads
 *	   keys, a prompt or a message
 */
#ifndef MEMVIEW_LAYOUT_H
#define MEMVIEW_LAYOUT_H

#include <stdbool.h>

#define LAYOUT_ROWS_MIN 15
#define LAYOUT_COLUMNS_MIN 60

enum pane { PANE_LIST, PANE_DETAIL, PANE_THREADS, PANE_COUNT };

struct area {
	int row, column, rows, columns;
};

struct layout {
	int rows, columns;
	bool too_small;		/* nothing but a sentence fits */
	int timeline;		/* row, or -1 */
	int rule, second_rule;	/* rows of the rules */
	int divide;		/* column of the line between list and detail */
	struct area pane[PANE_COUNT];
	int keys;		/* row */
};

/* threads: how many there are to show; the pane takes what it needs up to a share. */
void layout_make(struct layout *layout, int rows, int columns, bool timeline, enum pane focus,
		 int threads);

/* The list takes the detail pane's place, too. */
void layout_widen(struct layout *layout);

#endif
