# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: draws the lines of bench/summary.awk as SVG: above, the wall time added for each event by workload
# and tool; below, how it goes with threads, frames and the limit of frames (CPU time).  Logarithmic axes.
BEGIN {
	FS = "\t"
	modes = split("none full free raw default buffered naive stacks", mode, " ")
	split("memtrack, no stacks|memtrack, full stacks|memtrack, stacks of frees too|heaptrack --raw|heaptrack|" \
		"naive, buffered|naive|naive, with backtrace()", label, "|")
	split("#7fb2e5 #1f6fb8 #0b3d6e #f2a33c #d1561f #b9b9b9 #8a8a8a #5b5b5b", hex, " ")
	for (i = 1; i <= modes; i++)
		color[mode[i]] = hex[i]
	shapes = "disc disc disc box box tip tip tip"
	split(shapes, kind, " ")
	for (i = 1; i <= modes; i++)
		shape[mode[i]] = kind[i]
	width = 980
	font = "font-family=\"DejaVu Sans, Verdana, sans-serif\""
}

$1 == "meta" { meta[$2] = $3 }
$1 == "pairs" {
	if ($2 == "main" && !(($3) in row))
		name[row[$3] = ++rows] = $3
	seen[$2, $3] = 1
	wall[$2, $3, $4] = $10
	least[$2, $3, $4] = $11
	most[$2, $3, $4] = $12
	cpu[$2, $3, $4] = $13
}

function text(x, y, size, anchor, what, extra)
{
	gsub(/&/, "\\&amp;", what)
	gsub(/</, "\\&lt;", what)
	printf "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"#333\"%s>%s</text>\n", x, y, size,
		anchor, extra == "" ? "" : " " extra, what
}

function line(x1, y1, x2, y2, stroke, thick)
{
	printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%s\"/>\n", x1, y1, x2, y2,
		stroke, thick
}

function mark(x, y, m)
{
	if (shape[m] == "disc")
		printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\"/>\n", x, y, color[m]
	else if (shape[m] == "box")
		printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"%s\"/>\n", x - 4, y - 4, color[m]
	else
		printf "<path d=\"M%.1f %.1f l5 9 h-10 z\" fill=\"%s\"/>\n", x, y - 5, color[m]
}

function log10(v)
{
	return log(v) / log(10)
}

# Position on an axis from low to high (powers of ten) of length units.
function place(v, low, high, units)
{
	if (v < 10 ^ low)
		v = 10 ^ low
	if (v > 10 ^ high)
		v = 10 ^ high
	return (log10(v) - low) / (high - low) * units
}

function legend(y,    i, x)
{
	x = 20
	for (i = 1; i <= modes; i++) {
		if (i == 6) {
			x = 20
			y += 20
		}
		mark(x, y - 4, mode[i])
		text(x + 10, y, 12, "start", label[i])
		x += 24 + 7.2 * length(label[i])
	}
}

# A row for each workload; a line from the least to the most of each tool's pairs.
function overview(top,    r, i, x, y, p, key, left, span, step)
{
	left = 110
	span = width - left - 40
	step = 26
	text(left, top - 27, 13, "start", "Wall time added to the program for each event, nanoseconds", "font-weight=\"bold\"")
	for (p = 0; p <= 5; p++) {
		x = left + p / 5 * span
		line(x, top - 8, x, top + rows * step - 8, "#d8d8d8", 1)
		text(x, top - 11, 11, "middle", 10 ^ p)
	}
	for (r = 1; r <= rows; r++) {
		y = top + (r - 0.5) * step - 8
		if (r % 2)
			printf "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#000\" fill-opacity=\"0.035\"/>\n", 10,
				y - step / 2, width - 30, step
		text(left - 12, y + 4, 12, "end", name[r])
		for (i = modes; i >= 1; i--) {
			key = "main" SUBSEP name[r] SUBSEP mode[i]
			if (!(key in wall))
				continue
			line(left + place(least[key], 0, 5, span), y, left + place(most[key], 0, 5, span), y, color[mode[i]], 1.5)
			mark(left + place(wall[key], 0, 5, span), y, mode[i])
		}
	}
	return top + rows * step
}

# One curve: points of CPU ns at x 1, 2, ... where keys has them.
function curve(m, n, keys, x0, y0, w, h,    i, x, y, path)
{
	path = ""
	for (i = 1; i <= n; i++) {
		if (!(keys[i] in cpu))
			continue
		x = x0 + (n > 1 ? (i - 1) / (n - 1) * w : 0)
		y = y0 + h - place(cpu[keys[i]], 0, 4, h)
		path = path sprintf("%s%.1f %.1f", path == "" ? "M" : " L", x, y)
	}
	if (path == "")
		return
	printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", path, color[m]
	for (i = 1; i <= n; i++)
		if (keys[i] in cpu)
			mark(x0 + (n > 1 ? (i - 1) / (n - 1) * w : 0), y0 + h - place(cpu[keys[i]], 0, 4, h), m)
}

function frame(title, under, list, x0, y0, w, h,    i, n, number, p)
{
	text(x0, y0 - 12, 12, "start", title, "font-weight=\"bold\"")
	for (p = 0; p <= 4; p++) {
		line(x0 - 6, y0 + h - p / 4 * h, x0 + w + 6, y0 + h - p / 4 * h, "#d8d8d8", 1)
		text(x0 - 10, y0 + h - p / 4 * h + 4, 10, "end", 10 ^ p)
	}
	n = split(list, number, " ")
	for (i = 1; i <= n; i++)
		text(x0 + (i - 1) / (n - 1) * w, y0 + h + 16, 10, "middle", number[i])
	text(x0 + w / 2, y0 + h + 31, 11, "middle", under)
}

# A sweep over workloads BASE:NUMBER.
function sweep(title, under, set, base, list, x0, y0, w, h,    i, j, n, number, keys)
{
	if (!((set, base ":1") in seen))
		return
	frame(title, under, list, x0, y0, w, h)
	n = split(list, number, " ")
	for (i = modes; i >= 1; i--) {
		for (j = 1; j <= n; j++)
			keys[j] = set SUBSEP base ":" number[j] SUBSEP mode[i]
		curve(mode[i], n, keys, x0, y0, w, h)
	}
}

# -d 0 to 64 of one program; heaptrack, which has no such limit, as a level.
function limits(title, base, x0, y0, w, h,    j, n, number, keys)
{
	if (!(("limit", base) in seen))
		return
	n = split("0 1 2 4 8 16 32 64", number, " ")
	frame(title, "limit of frames (-d)", "0 1 2 4 8 16 32 64", x0, y0, w, h)
	for (j = 1; j <= n; j++)
		keys[j] = "limit" SUBSEP base SUBSEP "raw"
	curve("raw", n, keys, x0, y0, w, h)
	for (j = 1; j <= n; j++)
		keys[j] = "limit" SUBSEP base SUBSEP (number[j] ? "full:" number[j] : "none")
	curve("full", n, keys, x0, y0, w, h)
}

END {
	height = 124 + rows * 26 + 540
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" %s>\n", width, height,
		width, height, font
	printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height
	text(20, 26, 16, "start", "What tracing every allocation costs", "font-weight=\"bold\"")
	text(width - 20, 26, 11, "end", meta["cpu"] ", " meta["date"])
	legend(50)
	bottom = overview(124)
	text(20, bottom + 26, 13, "start", "CPU time added to the program for each event, nanoseconds", "font-weight=\"bold\"")
	sweep("tight, by threads", "threads", "threads", "tight", "1 2 4 8", 60, bottom + 62, 240, 160)
	sweep("crossing, by threads", "threads", "threads", "crossing", "1 2 4 8", 380, bottom + 62, 240, 160)
	sweep("deep, by the frames on its stack", "frames", "frames", "deep", "0 1 2 4 8 16 32 64", 700, bottom + 62, 240, 160)
	limits("64 frames, by the limit", "deep:64", 60, bottom + 302, 240, 160)
	limits("python, by the limit", "python", 380, bottom + 302, 240, 160)
	print "</svg>"
}
