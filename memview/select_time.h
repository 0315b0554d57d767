/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Selecting by moments: delta, markers, range. */
#ifndef MEMVIEW_SELECT_TIME_H
#define MEMVIEW_SELECT_TIME_H

struct view;

void select_time_delta(struct view *view);
void select_time_mark(struct view *view);
void select_time_unmark(struct view *view);
void select_time_from(struct view *view);
void select_time_to(struct view *view);
void select_time_clear(struct view *view);

#endif
