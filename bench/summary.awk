# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: sums up a results file of bench/run, line by line:
#
#	pairs SET WORKLOAD MODE COUNT EVENTS  then median, least and most of each of
#		wall time of the program traced / untraced
#		wall ns added for each event (for each run where there are no events)
#		CPU ns of the program added for each event
#	  then medians of bytes written for each event, and of KiB of memory added to the program
#	made WORKLOAD SCALE MADE RECORDED LOST
#
# and what else is in the file as it is.  Columns of the input: bench/columns.  After bench/median.awk.
BEGIN { FS = OFS = "\t" }

# Median, least and most of the samples of one kind.
function three(kind, key, n,    i, v)
{
	for (i = 1; i <= n; i++)
		v[i] = sample[kind, key, i]
	return sprintf("%.4f\t%.4f\t%.4f", median(v, n), v[1], v[n])
}

function one(kind, key, n,    i, v)
{
	for (i = 1; i <= n; i++)
		v[i] = sample[kind, key, i]
	return sprintf("%.3f", median(v, n))
}

$1 == "made" {
	made[$2, $3] = $4
	print "made", $2, $3, $4, $5, $6
	next
}

$1 == "time" && $7 > 0 && $14 > 0 {
	key = $2 OFS $3 OFS $4
	events = (($3, $5) in made) && made[$3, $5] > 0 ? made[$3, $5] : 1
	if (!(key in count))
		order[++keys] = key
	n = ++count[key]
	event_count[key] = events
	sample["ratio", key, n] = $7 / $14
	sample["wall", key, n] = ($7 - $14) / events
	sample["cpu", key, n] = ($8 - $15) / events
	sample["bytes", key, n] = $13 / events
	sample["kib", key, n] = $9 - $16
	next
}

$1 != "time" { print }

END {
	for (k = 1; k <= keys; k++) {
		key = order[k]
		n = count[key]
		print "pairs", key, n, event_count[key], three("ratio", key, n), three("wall", key, n),
			three("cpu", key, n), one("bytes", key, n), one("kib", key, n)
	}
}
