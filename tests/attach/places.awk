# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: where tests/attach/probes.c counts the calls of an allocator.
#
#	{ nm -S FILE | ...; objdump -d FILE; } | awk -v file=FILE -f places.awk
#
# reads "symbol NAME ADDRESS SIZE" (hexadecimal), then a disassembly, and prints lines for probes.
#
# CLASS: a place that each call passes, but behind the bytes that a patch of the entry may take: the first
# instruction 5 bytes behind the entry, or where a jump there leads to.  A uprobe on the patched bytes would
# end the program.  CLASS-: where the allocator calls its own functions: realloc calls malloc, the end of a
# thread frees what was cached for it.  Those calls are nobody's but the allocator's, and are taken off.

BEGIN {
	class["malloc"] = class["_Znwm"] = class["_Znam"] = "malloc"
	class["calloc"] = "calloc"
	class["realloc"] = "realloc"
	class["free"] = class["cfree"] = class["_ZdlPv"] = class["_ZdaPv"] = class["_ZdlPvm"] = class["_ZdaPvm"] = "free"
	class["sdallocx"] = class["dallocx"] = "free"
	class["memalign"] = class["aligned_alloc"] = class["valloc"] = class["pvalloc"] = class["posix_memalign"] = "memalign"
	sum["malloc"] = sum["_Znwm"] = sum["_Znam"] = sum["valloc"] = sum["pvalloc"] = "di"
	sum["calloc"] = "di*si"
	sum["realloc"] = sum["memalign"] = sum["aligned_alloc"] = "si"
	sum["posix_memalign"] = "dx"
	part["_mid_memalign"] = part["tcache_thread_shutdown"] = part["__malloc_arena_thread_freeres"] = 1
	digits = "0123456789abcdef"
}

function value(hex,   n, i)
{
	for (i = 1; i <= length(hex); i++)
		n = n * 16 + index(digits, substr(hex, i, 1)) - 1
	return n
}

# Of several names at one address the first that has a class counts.
$1 == "symbol" {
	a = value($3)
	sub(/\..*/, "", $2)
	address[$2] = a
	if ($2 in class && !(a in name))
		name[a] = $2
	if (!(a in symbol) || $2 in class || $2 in part)
		symbol[a] = $2
	next
}

/^ *[0-9a-f]+:\t/ {
	sub(/:/, "", $1)
	a = value($1)
	order[count++] = a
	place[a] = $1
	operation[a] = $2
	if ($2 ~ /^(j|call|bnd)/)
		target[a] = where_to($2 == "bnd" ? $4 : $3, $NF)
	if (last)
		following[last] = a
	last = a
}

# By the object's own stub, if there is one: <malloc@plt>.
function where_to(hex, text)
{
	if (text ~ /@plt>$/ && substr(text, 2, length(text) - 6) in address)
		return address[substr(text, 2, length(text) - 6)]
	return value(hex)
}

function print_place(label, a, condition, what,   line)
{
	line = label " " file " " place[a] " " condition " " (what ? what : "-")
	if (!printed[line]++)
		print line
}

# What a short function jumps to is it as well.
function passed(entry,   a, start)
{
	for (a = start = entry; a in operation && a < start + 5; )
		if (operation[a] == "jmp") {
			followed[a] = 1
			if (!(target[a] in name))
				more[target[a]] = name[entry]
			a = start = target[a]
		} else {
			a = following[a]
		}
	return a
}

# A release of nothing is no event; a realloc of nothing has no first half, one to nothing no second.
function entry(address, n,   c, at)
{
	c = class[n]
	at = passed(address)
	if (!(at in operation)) {
		print "places: no place behind " n | "cat >&2"
		return
	}
	print_place(c, at, c == "free" ? "di" : "-", sum[n])
	if (c == "realloc") {
		print_place("resized", at, "di")
		print_place("ended", at, "di,!si")
	}
}

END {
	for (a in name)
		entry(a + 0, name[a])
	for (a in more)
		symbol[a] = name[a] = more[a]
	for (i = 0; i < count; i++) {
		a = order[i]
		if (a in symbol)
			owner = symbol[a]
		t = a in target ? target[a] : 0
		if (!(owner in class || owner in part || owner ~ /^_?mi_/) || !(t in name) || a in followed)
			continue
		if (operation[a] !~ /^(call|jmp|bnd)$/)
			print "places: the jump at " place[a] " may lead to " name[t] | "cat >&2"
		print_place(class[name[t]] "-", a, class[name[t]] == "free" ? "di" : "-", sum[name[t]])
	}
}
