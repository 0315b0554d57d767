/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cells of the terminal in memory: writing, scrolling, erasing, resizing, printing. */
#include "tests/memview/emulator_state.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static const struct emulator_style own = { -1, -1, 0 };

/* As curses is told by terminfo (bce), what is erased takes the colour of the ground. */
static struct emulator_cell blank(const struct emulator *e)
{
	struct emulator_cell cell = { .text = { ' ' }, .style = own };

	cell.style.back = e->style.back;
	return cell;
}

static struct emulator_cell *new_cells(int rows, int columns)
{
	size_t count = (size_t)rows * (size_t)columns;
	struct emulator_cell *cells = calloc(count, sizeof(*cells));

	for (size_t i = 0; cells && i < count; i++)
		cells[i] = (struct emulator_cell){ .text = { ' ' }, .style = own };
	if (!cells)
		abort();
	return cells;
}

struct emulator_cell *emulator_cell(const struct emulator *e, int row, int column)
{
	return &e->cells[(size_t)row * (size_t)e->columns + (size_t)column];
}

void emulator_start(struct emulator *e, int rows, int columns)
{
	memset(e, 0, sizeof(*e));
	e->rows = rows;
	e->columns = columns;
	e->bottom = rows;
	e->style = own;
	e->cells = new_cells(rows, columns);
}

void emulator_release(struct emulator *e)
{
	free(e->cells);
	free(e->shell);
	e->cells = e->shell = NULL;
}

/* Columns from .. to - 1 of a row. */
void emulator_erase(struct emulator *e, int row, int from, int to)
{
	struct emulator_cell empty = blank(e);

	for (int i = from; i < to && i < e->columns; i++)
		*emulator_cell(e, row, i) = empty;
}

/* Rows top .. bottom - 1 move up by count, or down when it is negative. */
void emulator_scroll(struct emulator *e, int top, int bottom, int count)
{
	size_t line = (size_t)e->columns * sizeof(*e->cells);
	int height = bottom - top, by = abs(count) < height ? abs(count) : height;
	int keep = height - by;

	if (height <= 0 || !by)
		return;
	memmove(emulator_cell(e, count > 0 ? top : top + by, 0), emulator_cell(e, count > 0 ? top + by : top, 0),
		(size_t)keep * line);
	for (int i = 0; i < by; i++)
		emulator_erase(e, count > 0 ? top + keep + i : top + i, 0, e->columns);
}

/* Cells from the cursor to the edge move right by count, or left when it is negative. */
void emulator_shift(struct emulator *e, int count)
{
	int left = e->columns - e->at.column, by = abs(count) < left ? abs(count) : left;
	struct emulator_cell *here = emulator_cell(e, e->at.row, e->at.column);
	size_t keep = (size_t)(left - by) * sizeof(*here);

	memmove(count > 0 ? here + by : here, count > 0 ? here : here + by, keep);
	if (count > 0)
		emulator_erase(e, e->at.row, e->at.column, e->at.column + by);
	else
		emulator_erase(e, e->at.row, e->columns - by, e->columns);
}

void emulator_down(struct emulator *e)
{
	if (e->at.row + 1 == e->bottom)
		emulator_scroll(e, e->top, e->bottom, 1);
	else if (e->at.row + 1 < e->rows)
		e->at.row++;
}

static void combine(struct emulator *e, uint32_t c)
{
	int column = e->at.full ? e->at.column : e->at.column - 1;
	struct emulator_cell *cell;

	if (column < 0)
		return;
	cell = emulator_cell(e, e->at.row, column);
	if (!cell->text[0] && column)
		cell--;
	for (int i = 1; i <= EMULATOR_MARKS; i++) {
		if (!cell->text[i]) {
			cell->text[i] = c;
			return;
		}
	}
}

/* Half of a wide character that is written over leaves a blank. */
static void split(struct emulator *e, int column)
{
	if (column < e->columns && !emulator_cell(e, e->at.row, column)->text[0]) {
		emulator_cell(e, e->at.row, column)->text[0] = ' ';
		if (column)
			emulator_cell(e, e->at.row, column - 1)->text[0] = ' ';
	}
}

void emulator_put(struct emulator *e, uint32_t c)
{
	int width = wcwidth((wchar_t)c);

	if (width < 0)
		emulator_fault(e, "a character that cannot be shown");
	if (width <= 0) {
		combine(e, c);
		return;
	}
	if (e->at.full || e->at.column + width > e->columns) {
		/* A shell's long line may go on below; a program of the whole screen counts columns. */
		e->edges += e->shell != NULL;
		e->at.column = 0;
		e->at.full = false;
		emulator_down(e);
	}
	if (e->insert)
		emulator_shift(e, width);
	split(e, e->at.column);
	split(e, e->at.column + width);
	*emulator_cell(e, e->at.row, e->at.column) = (struct emulator_cell){ .text = { c }, .style = e->style };
	if (width == 2)
		*emulator_cell(e, e->at.row, e->at.column + 1) = (struct emulator_cell){ .style = e->style };
	e->last = c;
	e->at.column += width;
	e->at.full = e->at.column >= e->columns;
	if (e->at.full)
		e->at.column = e->columns - 1;
}

static struct emulator_cell *resized(const struct emulator *e, struct emulator_cell *old, int rows, int columns)
{
	struct emulator_cell *cells = new_cells(rows, columns);

	for (int row = 0; row < rows && row < e->rows; row++) {
		memcpy(cells + (size_t)row * (size_t)columns, old + (size_t)row * (size_t)e->columns,
		       sizeof(*cells) * (size_t)(columns < e->columns ? columns : e->columns));
	}
	free(old);
	return cells;
}

void emulator_resize(struct emulator *e, int rows, int columns)
{
	e->cells = resized(e, e->cells, rows, columns);
	if (e->shell)
		e->shell = resized(e, e->shell, rows, columns);
	e->edges = 0;
	e->rows = rows;
	e->columns = columns;
	e->top = 0;
	e->bottom = rows;
	emulator_move(e, e->at.row, e->at.column);
	if (e->shell_at.row >= rows)
		e->shell_at.row = rows - 1;
}

void emulator_move(struct emulator *e, int row, int column)
{
	e->at.row = row < 0 ? 0 : row >= e->rows ? e->rows - 1 : row;
	e->at.column = column < 0 ? 0 : column >= e->columns ? e->columns - 1 : column;
	e->at.full = false;
}

/* The alternate screen, and back to what was there before. */
void emulator_alternate(struct emulator *e, bool on)
{
	if (on && !e->shell) {
		e->shell = e->cells;
		e->shell_at = e->at;
		e->cells = new_cells(e->rows, e->columns);
	} else if (!on && e->shell) {
		free(e->cells);
		e->cells = e->shell;
		e->shell = NULL;
		emulator_move(e, e->shell_at.row, e->shell_at.column);
	}
}

static size_t encode(uint32_t c, char *out)
{
	mbstate_t state;
	size_t n;

	memset(&state, 0, sizeof(state));
	n = wcrtomb(out, (wchar_t)c, &state);
	return n == (size_t)-1 ? 0 : n;
}

size_t emulator_row(const struct emulator *e, int row, char *out)
{
	size_t length = 0, kept = 0;

	for (int i = 0; i < e->columns; i++) {
		const struct emulator_cell *cell = emulator_cell(e, row, i);

		for (int k = 0; k <= EMULATOR_MARKS && cell->text[k]; k++)
			length += encode(cell->text[k], out + length);
		if (cell->text[0] != ' ' || cell->text[1])
			kept = length;
	}
	out[kept] = 0;
	return kept;
}

static bool same(const struct emulator_style *a, const struct emulator_style *b)
{
	return a->front == b->front && a->back == b->back && a->attributes == b->attributes;
}

static void print_style(const struct emulator_style *style, int from, int to, FILE *out)
{
	static const char *const names[] = { "bold", "dim", "underline", "reverse", "other" };

	fprintf(out, " ~%d-%d", from, to);
	for (int i = 0; i < 5; i++) {
		if (style->attributes & 1 << i)
			fprintf(out, " %s", names[i]);
	}
	if (style->front >= 0)
		fprintf(out, " front %d", style->front);
	if (style->back >= 0)
		fprintf(out, " back %d", style->back);
	fputc('\n', out);
}

void emulator_print(const struct emulator *e, bool styles, FILE *out)
{
	char *text = malloc((size_t)e->columns * 16 + 1);

	for (int row = 0; text && row < e->rows; row++) {
		emulator_row(e, row, text);
		fprintf(out, "%s\n", text);
		for (int from = 0, to; styles && from < e->columns; from = to) {
			const struct emulator_style *style = &emulator_cell(e, row, from)->style;

			for (to = from + 1; to < e->columns && same(style, &emulator_cell(e, row, to)->style); to++)
				;
			if (!same(style, &own))
				print_style(style, from, to - 1, out);
		}
	}
	free(text);
}
