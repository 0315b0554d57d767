# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what the tests of this folder share; to be sourced behind tests/tap.sh.
dump=$testbin/tools/trace_dump
calls=$testbin/allocators/calls
calls_cxx=$testbin/allocators/calls_cxx

# expected OUTPUT TRACE NAME: the "expect" and "live" lines of a program hold in its trace.
expected()
{
	"$dump" "$2" | awk -v words="$1" '
		BEGIN { while ((getline line < words) > 0) {
			split(line, w, " ")
			if (w[1] == "expect" || w[1] == "live") want[w[1] " " w[2]] = w[3] } }
		$1 == "event" && $7 == 0 {
			if ($5 == "-") { delete size[$6]; next }
			got["expect " $4 "-" $5]++
			if ($4 != "mmap" && $4 != "munmap" && $4 != "brk") size[$6] = $5 }
		END { for (p in size) got["live " size[p]]++
			for (k in want) { n++; if (got[k] + 0 != want[k]) print k ": want " want[k] ", got " got[k] + 0 }
			if (!n) print "nothing was expected" }' >"$work/wrong"
	is "$(cat "$work/wrong")" "" "$3"
}

# library NAME: the file of an allocator, empty when it is not there.
library()
{
	case $1 in
	bump | freelist) echo "$top_builddir/examples/$1.so" ;;
	glibc) ;;
	*) find /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64 -maxdepth 1 \
		-name "lib$1.so.[0-9]*" 2>/dev/null | sort | head -n 1 ;;
	esac
}
