/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Computes the layout of the screen from its size and the focus. */
#include "memview/layout.h"

#define NARROW 110	/* below this many columns the focused pane of the body takes more */

static int list_columns(int columns, enum pane focus)
{
	if (columns >= NARROW)
		return columns * 3 / 5;
	return focus == PANE_DETAIL ? columns * 2 / 5 : columns * 3 / 5;
}

static int thread_rows(int body, int threads)
{
	int most = body / 4 < 2 ? 2 : body / 4 > 12 ? 12 : body / 4;
	int want = threads < 1 ? 1 : threads;

	return 1 + (want < most ? want : most);
}

void layout_make(struct layout *layout, int rows, int columns, bool timeline, enum pane focus,
		 int threads)
{
	int top = timeline ? 3 : 2;
	int body, below;

	layout->rows = rows;
	layout->columns = columns;
	layout->too_small = rows < LAYOUT_ROWS_MIN || columns < LAYOUT_COLUMNS_MIN;
	layout->timeline = timeline ? 2 : -1;
	layout->rule = top;
	layout->keys = rows - 1;
	body = rows - top - 3;
	below = thread_rows(body, threads);
	body -= below;
	layout->divide = list_columns(columns, focus);
	layout->second_rule = top + 1 + body;
	layout->pane[PANE_LIST] = (struct area){ top + 1, 0, body, layout->divide };
	layout->pane[PANE_DETAIL] = (struct area){
		top + 1, layout->divide + 1, body, columns - layout->divide - 1 };
	layout->pane[PANE_THREADS] = (struct area){ layout->second_rule + 1, 0, below, columns };
}

void layout_widen(struct layout *layout)
{
	layout->divide = layout->columns;
	layout->pane[PANE_LIST].columns = layout->columns;
	layout->pane[PANE_DETAIL].column = layout->columns;
	layout->pane[PANE_DETAIL].columns = 0;
}
