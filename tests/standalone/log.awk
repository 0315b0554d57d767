# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: checks a text log to the letter and prints its event lines as
#
#	TID NAME OP SIZE TOTAL PTR TS FRAMES
#
# (- where there is none; blanks of a name as _).  What is wrong goes out as "WRONG why: line".
# mode=causal also follows each address: allocated, freed, allocated, ...  Run in the C locale.

function wrong(why) { print "WRONG " why ": " $0 }

function flush_event()
{
	if (pending != "")
		print pending, frames
	pending = ""
	frames = 0
}

function value(text) { sub(/^[^=]*=/, "", text); sub(/ +$/, "", text); return text }

# A field KEY=N padded to 12 columns at the start of rest; cuts it off.
function take(key,    text)
{
	if (substr(rest, 1, length(key) + 1) != key "=")
		return ""
	match(rest, /^[a-z]+=[0-9]+ */)
	text = substr(rest, 1, RLENGTH)
	rest = substr(rest, RLENGTH + 1)
	width = RLENGTH - length(key) - 1
	return value(text)
}

function follow(    allocates)
{
	if (op ~ /^(mmap|munmap|mremap|brk|sbrk)$/)
		return
	allocates = total != "-"
	if (allocates && live[ptr])
		wrong("allocated while live")
	if (!allocates && !live[ptr] && seen[ptr])
		wrong("freed while free")
	live[ptr] = allocates
	seen[ptr] = 1
}

/^\[memtrack\]   #/ {
	if (pending == "")
		wrong("frame without event")
	if ($0 !~ /^\[memtrack\]   #[0-9]+ +[^ ].*\((.*)?\+0x[0-9a-f]+\) \[0x[0-9a-f]+\]$/)
		wrong("frame")
	if (substr($0, 15, 3) != sprintf("%-2d ", frames) && frames < 100)
		wrong("frame number")
	frames++
	next
}

/^\[memtrack\] tid=[0-9]+ / {
	flush_event()
	match($0, /^\[memtrack\] tid=[0-9]+ */)
	tid = value(substr($0, 1, RLENGTH))
	if (RLENGTH != 15 + (length(tid) > 6 ? length(tid) : 6) + 1)
		wrong("tid column")
	rest = substr($0, RLENGTH + 1)
	if (rest !~ /^\(/ || substr(rest, 17, 2) != ") ")
		wrong("name column")
	name = substr(rest, 2, 15)
	sub(/ +$/, "", name)
	gsub(/ /, "_", name)
	rest = substr(rest, 19)
	match(rest, /^[a-zA-Z_\[\]]+ */)
	op = substr(rest, 1, RLENGTH)
	rest = substr(rest, RLENGTH + 1)
	if (RLENGTH < 11)
		wrong("op column")
	sub(/ +$/, "", op)
	ts = take("ts")
	size = total = ptr = "-"
	if (ts == "")
		wrong("ts")
	if (op == "EXIT") {
		total = take("total")
		if (total == "" || rest != "bytes allocated")
			wrong("EXIT")
	} else {
		if (rest ~ /^size=/)
			size = take("size")
		if (rest ~ /^total=/)
			total = take("total")
		if (rest !~ /^ptr=0x[0-9a-f]+$/)
			wrong("ptr ends the line")
		ptr = value(rest)
		if (total != "-" && size == "-")
			wrong("size")
		if (mode == "causal")
			follow()
	}
	pending = tid " " (name == "" ? "_" : name) " " op " " size " " total " " ptr " " ts
	next
}

{ wrong("foreign line") }

END { flush_event() }
