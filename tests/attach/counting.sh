# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: counts what a program calls of its allocator, while memtrack traces it, without memtrack's help.
#
#	places FILE...			where to count (places.awk): FILEs are copies that only this test maps
#	window PID INJECT		from now on: the program is blocked, or stopped, and stays so
#	work ...
#	close_window [exited]		blocked or stopped again, or it ended
#	agree NAME			two assertions: the counts, and no finding
#
# $counted and $traced then are lines of "CLASS CALLS BYTES"; see counts.sh for what they mean.
. "${top_srcdir:-.}/tests/tap.sh"
dump=$testbin/tools/trace_dump
probes=$testbin/attach/probes
trace=$work/t.mtk
export XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"
mkdir "$work/lib"

target='' server='' memtrack_pid='' probes_pid=''
end_all()
{
	for pid in $target $server $memtrack_pid $probes_pid; do
		! jobs -p | grep -qx "$pid" || kill -KILL "$pid" 2>/dev/null
	done
	tap_cleanup
}
trap end_all EXIT
trap '' PIPE	# probes may have ended at once

# For until_ok.
patience=800

# private FILE: a copy of it, found before the system's.  An uprobe concerns all that map a file.
private()
{
	private_name=$(basename "$1")
	cp -L "$1" "$work/lib/$private_name"
	echo "$work/lib/$private_name"
}

# extent SYMBOLS: options of objdump for the allocator alone.
extent()
{
	awk 'NF == 4 && $4 ~ /^(malloc|calloc|realloc|c?free|.*memalign|aligned_alloc|p?valloc|s?dallocx|_Z[dn][aw]m)(@.*)?$/ {
		print $1 }' "$1" | sort >"$work/extent"
	[ -s "$work/extent" ] || return
	printf -- '--start-address=0x%s --stop-address=%d' "$(head -n 1 "$work/extent")" \
		$((0x$(tail -n 1 "$work/extent") + 12288))
}

places()
{
	for file; do
		nm -S --defined-only "$file" >"$work/symbols" 2>/dev/null
		[ -s "$work/symbols" ] || nm -DS --defined-only "$file" >"$work/symbols"
		{
			awk 'NF == 4 { sub(/@.*/, "", $4); print "symbol", $4, $1, $2 }' "$work/symbols"
			# shellcheck disable=SC2046
			objdump -d --no-show-raw-insn $(extent "$work/symbols") "$file"
		} | awk -v file="$file" -f "$top_srcdir/tests/attach/places.awk"
	done >"$work/places"
}

# read_counts FILE: one look at the probes.
read_counts()
{
	echo >&7
	while read -r line <&8 && [ -n "$line" ]; do
		echo "$line"
	done >"$1"
}

start_probes()
{
	rm -f "$work/probes.in" "$work/probes.out"
	mkfifo "$work/probes.in" "$work/probes.out"
	"$probes" $1 <"$work/probes.in" >"$work/probes.out" 2>"$work/probes.err" 6>&- &
	probes_pid=$!
	exec 7>"$work/probes.in" 8<"$work/probes.out"
	{ cat "$work/places" && echo; } >&7 2>"$work/probes.pipe"
	read -r line <&8
	[ "$line" = ready ]
}

stop_probes()
{
	exec 7>&- 8<&-
	wait "$probes_pid"
}

attached() { grep -qs "attached to process" "$work/memtrack.err"; }

window()
{
	target=$1
	start_probes "-p $1" || return
	rm -f "$trace" "$work/memtrack.err"	# what the last one said is not this one's
	"$memtrack" --pid "$target" --inject "$2" $options -o "$trace" 2>"$work/memtrack.err" 6>&- 7>&- 8<&- &
	memtrack_pid=$!
	until_ok attached || return
	read_counts "$work/first"
}

close_window()
{
	if [ $# -eq 0 ]; then
		read_counts "$work/last"
		"$memtrack" --pid "$target" detach 2>"$work/detach.err"
		cat "/proc/$target/syscall" >"$work/left"
	fi
	wait "$memtrack_pid"
	memtrack_status=$?
	[ $# -eq 0 ] || read_counts "$work/last"
	stop_probes
	count
	"$dump" --functions "$trace" | sum_up >"$work/traced"
	traced=$(cat "$work/traced")
	"$memview" --report "$trace" >"$work/report" 2>&1
}

# What is passed, less what the allocator called itself, and the difference of the two looks.
count()
{
	awk 'FNR == 1 { part++ } { sign = part == 1 ? -1 : 1; name = $1
		if (sub(/-$/, "", name)) sign = -sign
		if (name == "ended") { name = "realloc"; sign = -sign; $3 = 0 }
		calls[name] += sign * $2; bytes[name] += sign * $3 }
	END { split("malloc calloc realloc memalign free resized", names)
		for (i = 1; i <= 6; i++) printf "%s %.0f %.0f\n", names[i], calls[names[i]], bytes[names[i]] }' \
		"$work/first" "$work/last" >"$work/counted"
	counted=$(cat "$work/counted")
}

# From the functions of a trace to the classes of places.awk: all of C comes down to one of them.
sum_up()
{
	awk 'BEGIN {
			n = split("malloc __libc_malloc strdup strndup __strdup __strndup _Znwm _Znam " \
				"_ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t", names)
			for (i = 1; i <= n; i++) class[names[i]] = "malloc"
			n = split("memalign aligned_alloc posix_memalign valloc pvalloc __libc_memalign " \
				"_ZnwmSt11align_val_t _ZnamSt11align_val_t _ZnwmSt11align_val_tRKSt9nothrow_t " \
				"_ZnamSt11align_val_tRKSt9nothrow_t", names)
			for (i = 1; i <= n; i++) class[names[i]] = "memalign"
			class["calloc"] = class["__libc_calloc"] = "calloc"
			class["realloc"] = class["reallocarray"] = class["__libc_realloc"] = "realloc"
			class["free"] = class["cfree"] = class["__libc_free"] = "free"
			class["REALLOC_FREE"] = "resized"
		}
		$1 ~ /^_Zd[la]Pv/ { class[$1] = "free" }
		$1 ~ /map$|brk$|^EXIT$|^MREMAP|^BRK/ { next }
		{ c = $1 in class ? class[$1] : $1; seen[c] = 1; calls[c] += $2; bytes[c] += c == "free" || c == "resized" ? 0 : $3 }
		END {
			n = split("malloc calloc realloc memalign free resized", names)
			for (i = 1; i <= n; i++) { c = names[i]; delete seen[c]; printf "%s %.0f %.0f\n", c, calls[c], bytes[c] }
			for (c in seen) printf "%s %.0f %.0f\n", c, calls[c], bytes[c]
		}'
}

agree()
{
	is "$traced" "$counted" "$1: every call, and its bytes"
	is "$(grep -c '^Findings' "$work/report")" 0 "$1: nothing is wrong with a free" ||
		diag "$(sed -n '/^Findings/,/^$/p' "$work/report" | head -n 30)"
	[ -z "${MEMTRACK_TABLE:-}" ] || table "$1" >>"$MEMTRACK_TABLE"
}

# A line of figures for people.
table()
{
	awk -v name="$1" '{ calls[$1] = $2; all += $2 } END { printf "| %s | %d | %d | %d | %d | %d | %d |\n", name,
		calls["malloc"], calls["calloc"], calls["realloc"], calls["memalign"], calls["free"], all }' "$work/counted"
}
