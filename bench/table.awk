# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the tables of bench/table, from the lines of bench/summary.awk.  -v part=NAME: only that one.
BEGIN { FS = "\t"; all_modes = "full free none raw default naive buffered stacks" }

$1 == "meta" { meta[$2] = $3; next }
$1 == "made" && !(($2) in made) { made[$2] = $4; recorded[$2] = $5; lost[$2] = $6; next }
$1 == "pairs" {
	if (!(($2, $3) in seen)) {
		seen[$2, $3] = 1
		rows[$2, ++row_count[$2]] = $3
	}
	at = $2 SUBSEP $3 SUBSEP $4
	events[$2, $3] = events[$2, $3] ? events[$2, $3] : $6
	count[at] = $5
	ratio[at] = $7; ratio_least[at] = $8; ratio_most[at] = $9
	wall[at] = $10; wall_least[at] = $11; wall_most[at] = $12
	cpu[at] = $13; cpu_least[at] = $14; cpu_most[at] = $15
	bytes[at] = $16; kib[at] = $17
	next
}
$1 == "ir" { ir[$2, $3] = $5; irs++; next }
$1 == "fn" || $1 == "ns" { profile_line($1, $2 SUBSEP $3, $4, $5); next }
$1 == "stackid" { stackids++; stackid[stackids] = $2 "|" $3 "|" $4 "|" sprintf("%.0f|%.0f|%d|%.0f", $5, $6, $7, $8); next }

function wanted(name)
{
	return part == "" || part == name
}

# Modes of a set that were measured, in the usual order.
function modes_of(set, list,    i, n, m, r, found, k)
{
	n = split(list, m, " ")
	k = ""
	for (i = 1; i <= n; i++) {
		found = 0
		for (r = 1; r <= row_count[set]; r++)
			if ((set, rows[set, r], m[i]) in wall)
				found = 1
		if (found)
			k = k (k == "" ? "" : " ") m[i]
	}
	return k
}

function cell(v, at, format)
{
	return at in v ? sprintf(format, v[at]) : "-"
}

function range(v, least, most, at, format)
{
	return at in v ? sprintf(format " [" format " " format "]", v[at], least[at], most[at]) : "-"
}

# One figure of every mode, a row for each workload.
function by_mode(name, title, set, v, least, most, format, with_range,    list, n, m, i, r, at, text)
{
	if (!wanted(name))
		return
	list = modes_of(set, all_modes)
	n = split(list, m, " ")
	text = list
	gsub(" ", "|", text)
	matrix_begin(title, "workload|" text)
	for (r = 1; r <= row_count[set]; r++) {
		text = rows[set, r]
		for (i = 1; i <= n; i++) {
			at = set SUBSEP rows[set, r] SUBSEP m[i]
			text = text "|" (with_range ? range(v, least, most, at, format) : cell(v, at, format))
		}
		matrix_row(text)
	}
	matrix_end()
}

function disk(    r, w, at)
{
	if (!wanted("disk"))
		return
	matrix_begin("Events, and bytes of file for each", "workload|events made|recorded / made|lost|full|free|none|raw|default")
	for (r = 1; r <= row_count["main"]; r++) {
		w = rows["main", r]
		at = "main" SUBSEP w SUBSEP
		matrix_row(w "|" made[w] "|" (made[w] ? sprintf("%.4f", recorded[w] / made[w]) : "-") "|" lost[w] "|" \
			cell(bytes, at "full", "%.2f") "|" cell(bytes, at "free", "%.2f") "|" cell(bytes, at "none", "%.2f") "|" \
			cell(bytes, at "raw", "%.2f") "|" cell(bytes, at "default", "%.2f"))
	}
	matrix_end()
}

# numbers of a sweep: workloads NAME:NUMBER of a set, or modes full:NUMBER.
function sweep(name, title, set, base, list,    n, m, i, j, numbers, number, text, at)
{
	numbers = split("0 1 2 4 8 16 32 64", number, " ")
	n = split(modes_of(set, list), m, " ")
	text = ""
	for (j = 1; j <= numbers; j++)
		if ((set, base ":" number[j]) in seen)
			text = text "|" number[j]
	matrix_begin(title, "mode" text)
	for (i = 1; i <= n; i++) {
		text = m[i]
		for (j = 1; j <= numbers; j++) {
			at = set SUBSEP base ":" number[j] SUBSEP m[i]
			if ((set, base ":" number[j]) in seen)
				text = text "|" cell(wall, at, "%.0f") " / " cell(cpu, at, "%.0f")
		}
		matrix_row(text)
	}
	if (set == "threads")
		for (i = 1; i <= 2; i++) {
			at = i == 1 ? "full" : "none"
			if (!((base ":1", at) in ir))
				continue
			text = at ", instructions"
			for (j = 1; j <= numbers; j++)
				if ((set, base ":" number[j]) in seen)
					text = text "|" ((base ":" number[j], at) in ir ? ir[base ":" number[j], at] : "-")
			matrix_row(text)
		}
	matrix_end()
}

function limit(    number, numbers, r, i, text, at, w)
{
	if (!wanted("limit"))
		return
	numbers = split("none full:1 full:2 full:4 full:8 full:16 full:32 full:64 raw", number, " ")
	matrix_begin("Limit of frames (-d): wall / CPU ns added for each event", "workload|0|1|2|4|8|16|32|64|heaptrack raw")
	for (r = 1; r <= row_count["limit"]; r++) {
		w = text = rows["limit", r]
		for (i = 1; i <= numbers; i++) {
			at = "limit" SUBSEP w SUBSEP number[i]
			text = text "|" cell(wall, at, "%.0f") " / " cell(cpu, at, "%.0f")
		}
		matrix_row(text)
	}
	matrix_end()
}

function start(    n, m, i, at)
{
	if (!wanted("start"))
		return
	n = split(modes_of("start", all_modes), m, " ")
	matrix_begin("Start and end of /bin/true: milliseconds added to the program", "mode|wall|CPU|runs")
	for (i = 1; i <= n; i++) {
		at = "start" SUBSEP "true" SUBSEP m[i]
		matrix_row(m[i] "|" sprintf("%.2f [%.2f %.2f]|%.2f [%.2f %.2f]|%d", wall[at] / 1e6, wall_least[at] / 1e6,
			wall_most[at] / 1e6, cpu[at] / 1e6, cpu_least[at] / 1e6, cpu_most[at] / 1e6, count[at]))
	}
	matrix_end()
}

function stack_ids(    i)
{
	if (!wanted("stackid"))
		return
	matrix_begin("Nanoseconds of a capture, with its stack id", "workload|mode|captures|median|mean|left out|clock")
	for (i = 1; i <= stackids; i++)
		matrix_row(stackid[i])
	matrix_end()
}

# Parts that are inlined count for the function they are in.
function profile_line(kind, of, figure, function_name,    key)
{
	key = function_name
	if (kind == "fn")
		sub(/^[^:]*:/, "memtrack.so:", key)
	if (!(of in profile_size)) {
		profiles++
		profile_of[profiles] = of
		profile_size[of] = 0
	}
	if (!((of, key) in profile_seen)) {
		profile_seen[of, key] = 1
		profile_name[of, ++profile_size[of]] = key
	}
	profile[kind, of, key] += figure
	profile_sum[kind, of] += figure
	if (key ~ /^memtrack/)
		profile_hook[kind, of] += figure
}

# What takes a fiftieth of the hook's time, or of its instructions where no time was taken.
function functions(    p, of, word, i, j, n, kind, key, list, t)
{
	if (!wanted("functions"))
		return
	for (p = 1; p <= profiles; p++) {
		of = profile_of[p]
		split(of, word, SUBSEP)
		kind = ("ns", of) in profile_sum ? "ns" : "fn"
		n = 0
		for (i = 1; i <= profile_size[of]; i++)
			if (profile[kind, of, profile_name[of, i]] >= profile_hook[kind, of] / 50)
				list[++n] = profile_name[of, i]
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && profile[kind, of, list[j - 1]] < profile[kind, of, list[j]]; j--) {
				t = list[j]
				list[j] = list[j - 1]
				list[j - 1] = t
			}
		matrix_begin(word[1] ", " word[2] ": for each event", "where|ns|instructions")
		for (i = 1; i <= n; i++) {
			key = list[i]
			t = key
			sub(/^memtrack.so:/, "", t)
			sub(/:\(all\)$/, "", t)
			matrix_row(t "|" profile_cell("ns", of, key) "|" profile_cell("fn", of, key))
		}
		matrix_row("of the hook|" (("ns", of) in profile_hook ? sprintf("%.1f", profile_hook["ns", of]) : "-") "|" \
			(("fn", of) in profile_hook ? sprintf("%.1f", profile_hook["fn", of]) : "-"))
		matrix_row("in all|" (("ns", of) in profile_sum ? sprintf("%.1f", profile_sum["ns", of]) : "-") "|" \
			(("fn", of) in profile_sum ? sprintf("%.1f", profile_sum["fn", of]) : "-"))
		matrix_end()
	}
}

function profile_cell(kind, of, key)
{
	return (kind, of, key) in profile ? sprintf("%.1f", profile[kind, of, key]) : ""
}

# ns added in one mode over ns added in another: median over the workloads and the worst one.
function against(text, figures, a, b, goal,    r, n, v, q, worst, where, at)
{
	for (r = 1; r <= row_count["main"]; r++) {
		at = "main" SUBSEP rows["main", r] SUBSEP
		if (!((at a) in figures) || !((at b) in figures) || figures[at b] <= 0)
			continue
		q = figures[at a] / figures[at b]
		v[++n] = q
		if (n == 1 || q > worst) {
			worst = q
			where = rows["main", r]
		}
	}
	if (n)
		matrix_row(text "|" sprintf("%.3f", median(v, n)) "|" sprintf("%.3f", worst) " (" where ")|" goal)
}

function ratios(    i, n, w, goal)
{
	if (!wanted("ratios"))
		return
	matrix_begin("Ratios", "of|median of all workloads|worst|wanted")
	against("wall added: full / heaptrack raw", wall, "full", "raw", "0.200, worst 0.500")
	against("CPU added: full / heaptrack raw", cpu, "full", "raw", "")
	against("wall added: full / heaptrack", wall, "full", "default", "0.125")
	against("wall added: free / full", wall, "free", "full", "2.000")
	against("CPU added: free / full", cpu, "free", "full", "")
	against("wall added: none / heaptrack raw", wall, "none", "raw", "")
	n = split("cc1 git jq xmllint sqlite perl", w, " ")
	for (i = 1; i <= n; i++)
		if (("main", w[i], "full") in ratio)
			matrix_row("wall of " w[i] ": full / untraced|" \
				range(ratio, ratio_least, ratio_most, "main" SUBSEP w[i] SUBSEP "full", "%.3f") "||" \
				(i <= 4 ? "1.300" : "1.400"))
	matrix_end()
}

function machine()
{
	if (!wanted("machine") || !("date" in meta))
		return
	matrix_begin("", "what|is")
	matrix_row("date|" meta["date"])
	matrix_row("processor|" meta["cpu"])
	matrix_row("memory|" meta["memory"])
	matrix_row("system|" meta["system"] ", " meta["kernel"])
	matrix_row("compiler|" meta["compiler"])
	matrix_row("programs|" meta["memtrack"] "; " meta["heaptrack"])
	matrix_row("rounds|" meta["rounds"])
	matrix_row("load average before, after|" meta["load_before"] ", " meta["load_after"])
	matrix_end()
}

END {
	machine()
	by_mode("wall", "Wall ns added to the program for each event", "main", wall, wall_least, wall_most, "%.0f", 0)
	by_mode("cpu", "CPU ns added to the program for each event", "main", cpu, cpu_least, cpu_most, "%.1f", 0)
	by_mode("ratio", "Wall time of the program, traced / untraced: median [least most]", "main", ratio, ratio_least,
		ratio_most, "%.2f", 1)
	ratios()
	disk()
	if (wanted("threads")) {
		sweep("threads", "Threads, tight: wall / CPU ns added for each event", "threads", "tight", all_modes)
		sweep("threads", "Threads, crossing: wall / CPU ns added for each event", "threads", "crossing", all_modes)
	}
	if (wanted("frames"))
		sweep("frames", "Frames on the stack, deep: wall / CPU ns added for each event", "frames", "deep", all_modes)
	limit()
	start()
	stack_ids()
	functions()
}
