# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: many threads in one log: order by address, names, exits, signal handlers.
. "${top_srcdir:-.}/tests/standalone/standalone.sh"

exits() { awk '$3 == "EXIT"' "$work/events" | wc -l | tr -d ' '; }

# The EXIT line is the thread's last allocation's total.
exit_totals()
{
	is "$(awk '$3 == "EXIT" { if ($5 != total[$1]) print; next } $5 != "-" { total[$1] = $5 }' "$work/events" |
		head -n 3)" "" "$1: EXIT has the thread's total"
}

for depth in 0 8; do
	for buffer in 0 300 4096 1M; do
		name="8 threads, depth $depth, buffer $buffer"
		alone MEMTRACK_STACK_DEPTH=$depth MEMTRACK_BUFFER_SIZE=$buffer -- "$programs/workers" cross 8 1000
		is "$status$(cat "$work/err")" 0 "$name: runs"
		well_formed "$name" causal
		exit_totals "$name"
		is "$(awk '$3 == "malloc" && $4 >= 16 && $4 < 216 && $1 != main { n++ }
			$3 == "realloc" && $4 >= 4016 { r++ } END { print n, r }' \
			main="$(head -n 1 "$work/events" | cut -d' ' -f1)" "$work/events")" "8128 128" \
			"$name: every event is there"
		is "$(exits)" 8 "$name: each has its EXIT line, the main thread has none"
	done
done

for buffer in 0 4096; do
	alone MEMTRACK_BUFFER_SIZE=$buffer -- "$programs/workers" churn 1200
	well_formed "churn, buffer $buffer" causal
	exit_totals "churn, buffer $buffer"
	is "$status $(exits)" "0 1200" "1200 threads come and go (buffer $buffer)"
	is "$(awk '$4 == 777' "$work/events" | wc -l | tr -d ' ')" 1200 "all their blocks are there"
	is "$(awk '$3 == "EXIT" && $2 != "short"' "$work/events" | head -n 1)" "" "with the name they gave themselves"
done

alone -- "$programs/workers" destructors 40
well_formed "destructors" causal
is "$(awk '$4 == 321 { live[$6] = 1; n++ } $5 == "-" && live[$6] { live[$6] = 0; n-- } END { print n }' \
	"$work/events")" 0 "frees in the last destructors are in the log"
is "$(exits)" 40 "one EXIT for each thread"

alone -- "$programs/workers" names
well_formed "hostile names"
is "$(awk '$4 == 2001 { print $2 }' "$work/events" | tr '\n' '|')" \
	"$(printf 'a)_free_ts=1_b(|?[31mred?[0m|tab?new?line|caf\303\251_\377\376|_|fifteen_bytes..|')" \
	"control bytes of names are ?, others as they are"
is "$(awk '$3 == "free" && $2 == "second_name"' "$work/events" | wc -l | tr -d ' ')" 6 "a name holds from the moment it is given"
is "$("$memview" --report "$log" >"$work/report" 2>&1; echo $?)" 0 "memview reads it"

# Signal handlers that interrupt calls and the flush itself; and that leave by siglongjmp.  Handlers
# map two pages at a time, the program three, and seven at the end.
for mode in interrupt jump; do
	for buffer in 0 4096; do
		for depth in 0 8; do
			name="$mode, buffer $buffer, depth $depth"
			alone MEMTRACK_STACK_DEPTH=$depth MEMTRACK_BUFFER_SIZE=$buffer -- "$programs/workers" $mode 300
			like "$status $(cat "$work/out")" '^0 say handled 3[0-9][0-9]$' "$name: runs"
			well_formed "$name"
			is "$(awk '$4 == 28672 { print $3 }' "$work/events" | tr '\n' ' ')" "mmap munmap " \
				"$name: the log goes on to the end"
			[ $mode = jump ] && most=50 || most=0
			awk '$3 == "mmap" { if (live[$6]) n++; live[$6] = 1 }
				$3 == "munmap" { if (!live[$6]) n++; live[$6] = 0 } END { print n + 0 }' \
				"$work/events" >"$work/wrong"
			ok "$name: pages are taken and given by turns ($(cat "$work/wrong"))" \
				[ "$(cat "$work/wrong")" -le $most ]
			[ $mode = jump ] || is "$(awk '$4 == 8192 { n[$3]++ } END { print n["mmap"] - n["munmap"] }' \
				"$work/events")" 0 "$name: nothing of the handlers is lost"
		done
	done
done
done_testing
