/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the screen.  Each draws into its place of view->layout and changes nothing else
 * of the view than what says where it is scrolled to. */
#ifndef MEMVIEW_DRAW_H
#define MEMVIEW_DRAW_H

#include "memview/view.h"

void draw_header(const struct view *view);
void draw_timeline(struct view *view);
void draw_list(struct view *view);
void draw_histogram(struct view *view);
void draw_detail(struct view *view);
void draw_threads(struct view *view);
void draw_keys(struct view *view);
void draw_help(struct view *view);

/* The mark of the line under the cursor of a pane: strong in the pane with the focus. */
unsigned draw_cursor_style(const struct view *view, enum pane pane);

#endif
