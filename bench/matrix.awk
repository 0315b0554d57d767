# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: prints a table, as text or (-v md=1) as markdown.
#
#	matrix_begin(TITLE, HEAD)	HEAD and rows are columns joined by "|"
#	matrix_row(CELLS)
#	matrix_end()			nothing at all if there was no row

function matrix_begin(title, head)
{
	matrix_title = title
	matrix_rows = 0
	matrix_columns = split(head, matrix_head, "|")
	matrix_head_text = head
}

function matrix_row(cells)
{
	matrix_line[++matrix_rows] = cells
}

function matrix_widths(    i, j, n, cell)
{
	for (j = 1; j <= matrix_columns; j++)
		matrix_width[j] = length(matrix_head[j])
	for (i = 1; i <= matrix_rows; i++) {
		n = split(matrix_line[i], cell, "|")
		for (j = 1; j <= n; j++)
			if (length(cell[j]) > matrix_width[j])
				matrix_width[j] = length(cell[j])
	}
}

function matrix_print_row(cells,    j, cell, text)
{
	split(cells, cell, "|")
	text = md ? "|" : ""
	for (j = 1; j <= matrix_columns; j++)
		text = text sprintf(j == 1 ? (md ? " %-*s |" : "%-*s ") : (md ? " %*s |" : " %*s"),
			matrix_width[j], cell[j])
	sub(/ +$/, "", text)
	print text
}

function matrix_end(    i, j, rule)
{
	if (!matrix_rows)
		return
	matrix_widths()
	if (matrix_title != "")
		print (md ? "**" matrix_title "**" : matrix_title) "\n"
	matrix_print_row(matrix_head_text)
	if (md) {
		rule = "|"
		for (j = 1; j <= matrix_columns; j++)
			rule = rule (j == 1 ? "---|" : "--:|")
		print rule
	}
	for (i = 1; i <= matrix_rows; i++)
		matrix_print_row(matrix_line[i])
	print ""
}
