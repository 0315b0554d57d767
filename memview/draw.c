/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the screen together. */
#include "memview/draw.h"

#include <stdlib.h>

#include "memview/actions.h"
#include "memview/leave.h"

unsigned draw_cursor_style(const struct view *view, enum pane pane)
{
	return view->focus == pane ? STYLE_SELECTED : STYLE_SHADED;
}

static void draw_too_small(const struct view *view)
{
	struct pen pen = pen_at(view->term, 0, 0, view->layout.columns);

	pen_printf(&pen, STYLE_BOLD, "%dx%d is too small: %dx%d needed (q quits)", view->layout.columns,
		   view->layout.rows, LAYOUT_COLUMNS_MIN, LAYOUT_ROWS_MIN);
}

static void draw_rule(const struct view *view, int row, enum pen_glyph tee)
{
	struct pen pen = pen_at(view->term, row, 0, view->layout.columns);

	pen_repeat(&pen, STYLE_RULE, GLYPH_ACROSS, view->layout.divide);
	if (pen_left(&pen))
		pen_glyph(&pen, STYLE_RULE, tee);
	pen_repeat(&pen, STYLE_RULE, GLYPH_ACROSS, pen_left(&pen));
}

static void draw_frame(const struct view *view)
{
	const struct area *body = &view->layout.pane[PANE_LIST];

	draw_rule(view, view->layout.rule, GLYPH_TEE_DOWN);
	draw_rule(view, view->layout.second_rule, GLYPH_TEE_UP);
	for (int i = 0; i < body->rows; i++) {
		struct pen pen = pen_at(view->term, body->row + i, view->layout.divide, 1);

		pen_glyph(&pen, STYLE_RULE, GLYPH_DOWN);
	}
}

/* The key line of the bottom row is made of the table's briefs; help and quit always fit. */
static void draw_key(struct pen *pen, const struct action_row *row)
{
	char key[16];
	int n = 0;

	while (row->keys[n] && row->keys[n] != ' ' && n < 15) {
		key[n] = row->keys[n];
		n++;
	}
	key[n] = 0;
	if (pen_left(pen) < n + 1 + pen_width(pen->term, row->brief) + 2)
		return;
	pen_text(pen, STYLE_KEY, key);
	pen_printf(pen, STYLE_PLAIN, " %s  ", row->brief);
}

/* From here to the end of the line, if there is room for some. */
static void draw_key_line(struct pen pen)
{
	enum { LAST = 16, SOME = 30 };	/* LAST: "? help  q quit  " */
	int count;
	const struct action_row *rows = actions_table(&count);

	if (pen_left(&pen) < SOME)
		return;
	pen.end -= LAST;
	for (int i = 0; i < count; i++) {
		if (rows[i].brief[0] && rows[i].keys[0] && rows[i].action != ACTION_HELP && rows[i].action != ACTION_QUIT)
			draw_key(&pen, &rows[i]);
	}
	pen.end += LAST;
	for (int i = 0; i < count; i++) {
		if (rows[i].action == ACTION_HELP || rows[i].action == ACTION_QUIT)
			draw_key(&pen, &rows[i]);
	}
}

void draw_keys(struct view *view)
{
	struct pen pen = pen_at(view->term, view->layout.keys, 0, view->layout.columns);
	const char *news = connection_line(view);
	bool bad = view->alert;

	if (prompt_is_open(&view->prompt)) {
		prompt_draw(&view->prompt, &pen);
		return;
	}
	if (view->message[0])
		news = view->message;
	else
		bad = input_state(view->input) == INPUT_FAILED || connection_is_lost(view) || input_save_failed(view->input);
	if (news[0]) {
		pen_clip(&pen, bad ? STYLE_ALERT : STYLE_BOLD, news);
		pen_space(&pen, STYLE_PLAIN, 3);
	}
	draw_key_line(pen);
}

void view_draw(struct view *view)
{
	struct layout *layout = &view->layout;

	layout_make(layout, term_rows(view->term), term_columns(view->term), view->show_timeline, view->focus,
		    (int)(thread_count(view->heap) < 1000 ? thread_count(view->heap) : 1000));
	if (view_kind(view)->wide && view->focus != PANE_DETAIL && !view->histogram)
		layout_widen(layout);
	term_clear(view->term);
	if (layout->too_small) {
		draw_too_small(view);
		return;
	}
	view_settle_cursors(view);
	if (leave_is_asked(view)) {
		leave_draw(view);
		return;
	}
	if (view->output.shown) {
		target_output_draw(view);
		return;
	}
	if (view->help) {
		draw_help(view);
		return;
	}
	draw_header(view);
	if (view->show_timeline)
		draw_timeline(view);
	draw_frame(view);
	if (view->histogram)
		draw_histogram(view);
	else
		draw_list(view);
	if (layout->pane[PANE_DETAIL].columns > 0)
		draw_detail(view);
	draw_threads(view);
	draw_keys(view);
}
