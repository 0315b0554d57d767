# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what comes while a process is traced that ran before: allocators that are loaded, threads by the thousand.
. "${top_srcdir:-.}/tests/tap.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "functions are patched on x86-64 only"
dump=$testbin/tools/trace_dump
export XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"
mkfifo "$work/in" "$work/out"

# say LETTER: what the target answers.
say() { printf '%s' "$1" >&8; read -r answer <&9; }
traced() { "$memtrack" --pid "$target" status >/dev/null 2>&1; }
# attach ARGUMENT...: $tracer
attach()
{
	"$memtrack" --pid "$target" -o "$work/a.mtk" "$@" 2>"$work/err" &
	tracer=$!
	tries=0
	until traced; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] && kill -0 "$tracer" 2>/dev/null || return 1
		sleep 0.05
	done
}
detach()
{
	"$memtrack" --pid "$target" detach 2>/dev/null
	wait "$tracer"
}
# counts: allocations and releases of blocks of the size that nobody else has.
counts()
{
	"$dump" "$work/a.mtk" | awk '$1 == "event" && $4 ~ /alloc$/ && $5 == 7777 { live[$6]++; n++ }
		$1 == "event" && $4 == "free" && live[$6] > 0 { live[$6]--; f++ }
		END { print n + 0, f + 0 }'
}

"$testbin/hook/loads" "$testbin/hook/loads_library.so" <"$work/in" >"$work/out" &
target=$!
exec 8>"$work/in" 9<"$work/out"
read -r answer <&9
cp "/proc/$target/maps" "$work/maps"
attach || {
	exec 8>&-
	skip_all "$(head -n 1 "$work/err")"
}

# Nothing is called or loaded meanwhile: what is new in the map is memtrack's and says so.  Anonymous memory may lie
# behind what is ours (.bss, what was reserved).
detach
ok "every mapping that stays says whose it is" awk '
	NR == FNR { known[$1] = 1; next }
	{ split($1, at, "-"); ours = $6 ~ /memtrack/ || ($6 == "" && at[1] == end && ours); end = at[2] }
	!($1 in known) && !ours && $6 != "[heap]" && $6 != "[stack]" { print; bad = 1 }
	END { exit bad }' "$work/maps" "/proc/$target/maps"

# state: how many mappings, descriptors and threads there are.
state() { echo "$(wc -l <"/proc/$target/maps") $(ls "/proc/$target/fd" | wc -l) $(ls "/proc/$target/task" | wc -l)"; }
before=$(state)
for cycle in 1 2 3 4 5; do
	"$memtrack" --pid "$target" -o "$work/a.mtk" --duration 0.01 2>/dev/null
done
is "$(state)" "$before" "five more sessions leave nothing more"

attach
say o
detach
is "$(counts)" "$answer" "a library's own malloc: every call is seen, those of its constructor too"
ok "the trace says so" sh -c "'$dump' --facts '$work/a.mtk' | grep -q '^fact patched later .* in loads_library.so'"

attach
say o
is "$(sed -n '/not traced/p' "$work/err")" "" "nothing is missed"
say n
detach
is "$(counts)" "601 601" "again, and a second libc in a namespace of its own"

attach
say m
areas=$(grep -c memtrack-stubs "/proc/$target/maps")
detach
is "$(counts)" "$answer" "loaded and unloaded many times, at other addresses"
ok "there the stubs of those that went serve again" [ "$areas" -le 2 ]
attach
say t
detach
is "$(counts)" "$answer" "threads that come and go, more than there are slots for"
# reserved: kB in use of what the hook has reserved.
reserved()
{
	awk '/^[0-9a-f]+-/ { split($1, at, "-"); ours = /memtrack-reserve/ || (NF == 5 && at[1] == end && ours); end = at[2] }
		/^Rss:/ && ours { kb += $2 } END { print kb + 0 }' "/proc/$target/smaps"
}
attach
say h
used=$(reserved)
detach
ok "what is known of 50 MB of blocks takes 1 MB or more ($used kB)" [ "$used" -ge 1000 ]
used=$(reserved)
ok "and is given back at the end ($used kB)" [ "$used" -lt 1000 ]
say o
is "$answer" "301 301" "the program goes on"
exec 8>&-
wait "$target"
is $? 0 "and ends as it should"
done_testing
