# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the event lines of trace_dump from a text log, in the order of the log:
#
#	event US TID OP SIZE PTR 0 FRAME;FRAME;...	SIZE - when the line has none
#	thread 0 TID NAME				when a tid shows a new name
#
# Run in the C locale: names are found by position, in bytes.  A FRAME is the SYMBOL of
# BINARY(SYMBOL+0xN), or ?PC.

function value(key,    at, rest)
{
	at = index($0, " " key "=")
	if (!at)
		return "-"
	rest = substr($0, at + length(key) + 2)
	sub(/ .*/, "", rest)
	return rest
}

function flush_event()
{
	if (pending != "")
		print pending, (frames == "" ? "-" : frames)
	pending = frames = ""
}

/^\[memtrack\] tid=/ {
	flush_event()
	tid = substr($0, 16)
	sub(/[^0-9].*/, "", tid)
	open = index($0, "(")
	name = substr($0, open + 1, 15)
	sub(/ +$/, "", name)
	rest = substr($0, open + 18)
	op = rest
	sub(/ .*/, "", op)
	if (names[tid] != name) {
		names[tid] = name
		print "thread 0", tid, name
	}
	total = value("total")
	size = value("size")
	if (op == "EXIT")
		pending = "event " value("ts") " " tid " EXIT " total " 0x0 0"
	else
		pending = "event " value("ts") " " tid " " op " " size " " value("ptr") " 0"
	next
}

/^\[memtrack\]   #/ {
	frame = $0
	sub(/ \[0x[0-9a-f]+\]$/, "", frame)
	pc = substr($0, length(frame) + 3)
	sub(/\]$/, "", pc)
	if (match(frame, /\+0x[0-9a-f]+\)$/)) {
		frame = substr(frame, 1, RSTART - 1)
		sub(/^\[memtrack\]   #[0-9]+ +/, "", frame)
		frame = substr(frame, index(frame, "(") + 1)
	} else
		frame = ""
	if (frame == "")
		frame = "?" pc
	frames = frames == "" ? frame : frames ";" frame
	next
}

END { flush_event() }
