# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the MEMTRACK_* variables of the hook, good and bad values.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"

# lines OP SIZE: how many the log has.
lines() { awk -v op="$1" -v size="$2" '$3 == op && (size == "" || $4 == size) { n++ } END { print n + 0 }' "$work/events"; }

# MEMTRACK_OUTPUT
echo "what was there" >"$log.there"
alone MEMTRACK_OUTPUT="$log.there" -- "$programs/process" keep 1111
is "$(grep -c 'what was there' "$log.there")$(grep -c 'size=1111 ' "$log.there")" 020 "a file that exists is truncated"
alone MEMTRACK_OUTPUT= -- "$programs/process" keep 1111
is "$status $(grep -c 'size=1111 ' "$work/err")" "0 20" "without MEMTRACK_OUTPUT the log goes to stderr"
timeout 60 env LD_PRELOAD="$hook" "$programs/process" standard "$work/third" 2>&- >&-
is "$?$(cat "$work/third")" "0fd 1" "with stderr closed there is no log, and no number is taken"
alone MEMTRACK_OUTPUT="$work" -- "$programs/process" keep 1111
is "$status $(cat "$work/err")" \
	"0 memtrack.so: cannot open MEMTRACK_OUTPUT '$work': Is a directory; nothing is recorded" \
	"a file that cannot be opened is told in one line"
alone MEMTRACK_OUTPUT=/dev/stdout -- "$programs/process" keep 1111
is "$status $(grep -c 'size=1111 ' "$work/out")" "0 20" "/dev/stdout is a file like others"

# MEMTRACK_MIN_SIZE
alone MEMTRACK_MIN_SIZE=100 -- "$programs/workers" sizes
well_formed "minimum size"
is "$(lines malloc 50) $(lines malloc 5000)" "0 10" "MEMTRACK_MIN_SIZE leaves small blocks out"
is "$(awk '$4 == 5000 { print $5 }' "$work/events" | tr '\n' ' ')" \
	"5050 10100 15150 20200 25250 30300 35350 40400 45450 50500 " "total counts them"

# MEMTRACK_STACK_DEPTH
for depth in 1 3 256; do
	alone MEMTRACK_STACK_DEPTH=$depth -- "$programs/workers" sizes
	well_formed "depth $depth"
	is "$(awk -v d=$depth '$8 < 1 || $8 > d' "$work/events" | head -n 1)" "" \
		"MEMTRACK_STACK_DEPTH=$depth: 1 to $depth frames for each line, of frees too"
done

# The thread filters
alone MEMTRACK_TRACK_THREADS=disk,nothing -- "$programs/workers" filters
well_formed "tracked threads"
is "$(lines malloc 3001) $(lines malloc 3002)" "0 100" "MEMTRACK_TRACK_THREADS: only threads of these names"
is "$(awk '$3 == "EXIT" { print $2 }' "$work/events")" "disk-1" "only they have an EXIT line"
alone MEMTRACK_STACK_THREADS=net MEMTRACK_STACK_DEPTH=8 -- "$programs/workers" filters
well_formed "stack threads"
is "$(lines malloc 3001) $(lines malloc 3002)" "100 100" "MEMTRACK_STACK_THREADS: all threads are there"
is "$(awk '$4 == 3001 && $8 == 0 || $4 == 3002 && $8' "$work/events" | head -n 1)" "" \
	"but only those of these names have frames"

# Bad values: one line, the default, and the program runs.
bad()
{
	alone "$1" -- "$programs/process" keep 1111
	well_formed "$1"
	is "$status $(lines malloc 1111) $(wc -l <"$work/err")" "0 20 1" "$1: one line, and all is recorded"
	like "$(cat "$work/err")" "^memtrack\\.so: ${1%%=*} .*'${1#*=}'.*; [0-9]+ is used$" "$1: names the value and the default"
}
for value in MEMTRACK_MIN_SIZE=-1 MEMTRACK_MIN_SIZE=1x MEMTRACK_MIN_SIZE=99999999999999999999999 \
	MEMTRACK_STACK_DEPTH=257 MEMTRACK_STACK_DEPTH=8K MEMTRACK_STACK_DEPTH=deep \
	MEMTRACK_BUFFER_SIZE=1G MEMTRACK_BUFFER_SIZE=0x10 MEMTRACK_BUFFER_SIZE=4KB; do
	bad "$value"
done
alone MEMTRACK_STACK_DEPTH= MEMTRACK_MIN_SIZE= MEMTRACK_BUFFER_SIZE= -- "$programs/process" keep 1111
is "$status$(cat "$work/err")" 0 "empty values are none"
alone "MEMTRACK_TRACK_THREADS=$(printf '%0600d' 0)" -- "$programs/process" keep 1111
well_formed "long list"
is "$status $(lines malloc 1111) $(wc -l <"$work/err")" "0 20 1" "a list that is too long is told and left out"
alone "MEMTRACK_STACK_DEPTH=$(printf 'a\033b')" -- "$programs/process" keep 1111
like "$(cat "$work/err")" "'a\\?b'" "no escape byte of a value reaches the terminal"

# A session of a launcher that cannot be reached, or another user's rights: silence.
alone MEMTRACK_SOCKET=memtrack-nobody MEMTRACK_OUTPUT="$log" -- "$programs/process" keep 1111
is "$status$(cat "$work/err")$(ls "$log" 2>&1 | grep -c 'No such')" 01 \
	"with MEMTRACK_SOCKET, reachable or not, there is no log of the hook's own"
# The page has the variables of the table, with their defaults.
page=$top_srcdir/doc/memtrack.so.7
printf '#include "trace/settings.h"\n#define X(a, b, c, d, e, f, g, standalone, i, variable, k) ROW standalone variable\n%s\n' \
	'TRACE_SETTINGS(X)' >"$work/rows.c"
# shellcheck disable=SC2086
${MEMTRACK_CC:-cc} -I"$top_srcdir" -E -P "$work/rows.c" | grep -o 'ROW "[^"]*" "[^"]*"' | tr -d '"' |
	awk '{ print NF == 3 ? $3 : $2 }' | sort >"$work/table"
is "$(sed -n 's/^\.BR \(MEMTRACK_[A-Z_]*\) " (.*)"$/\1/p' "$page" | sort | tr '\n' ' ')" \
	"$(tr '\n' ' ' <"$work/table")" "memtrack.so(7) has the variables of the table"
if command -v man >/dev/null; then
	is "$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)" "" \
		"memtrack.so(7) formats without warnings"
else
	skip "memtrack.so(7) formats without warnings" "man is not installed"
fi
done_testing
