#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: SIGKILL for memtrack at any moment of an attach: the program goes on, its code is as it was once the
# keeper is done, and the next memtrack gets in.  MEMTRACK_LONG=1: a few hundred times.
. "${top_srcdir:-.}/tests/attach/attach.sh"
export XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$XDG_RUNTIME_DIR"

"$program" -s 20 idle >/dev/null &
probe=$!
"$memtrack" --pid "$probe" --duration 0.01 -q -o "$work/probe.mtk" 2>"$work/err" ||
	case $(cat "$work/err") in
	*ptrace*|*privilege*|*yama*|*root*) kill "$probe"; skip_all "$(head -n 1 "$work/err")" ;;
	esac
kill "$probe"

# Every other time the keeper is left to itself, else the next memtrack comes at once.
cat >"$work/killer" <<'END'
#!/bin/sh
# killer PID CYCLE MOST: MOST is the longest delay in ms.
delay=$(awk -v chance="$(date +%N)" -v most="$3" 'BEGIN { printf "%.3f", int(chance / 1000) % (most + 1) / 1000 }')
"$memtrack" --pid "$1" -q -o "$work/killed.mtk" 2>"$work/killed.err" &
victim=$!
sleep "$delay"
kill -KILL $victim
wait $victim 2>/dev/null
status=0
if [ $(($2 % 2)) = 0 ]; then
	"$memtrack" --pid "$1" --duration 0.02 -q -o "$work/next.mtk" || status=$?
fi
# One that has no name of its own yet is a keeper, too.
tries=0
kept()
{
	for keeper in $(pgrep -x 'memtrack|memtrack-keeper'); do
		grep -qs "^Pid:[[:space:]]*$1\$" /proc/"$keeper"/fdinfo/* && return 0
	done
	return 1
}
while kept "$1"; do
	tries=$((tries + 1))
	[ $tries -lt 400 ] || exit 9
	sleep 0.05
done
exit $status
END
chmod +x "$work/killer"
export memtrack work

killed()
{
	command="$work/killer %p %n $3"
	# shellcheck disable=SC2086
	hostile "$1" "$2" -l 60 -- $4
	diag "$(cat "$work/cycles.out")"
}

if [ -n "$MEMTRACK_LONG" ]; then
	killed "in the first 80 ms, heap" 100 80 "heap:3"
	killed "in the first 80 ms, signals" 100 80 "signalled acked timer"
	killed "within half a second, heap" 100 500 "heap:3 churn"
	killed "within half a second, signals" 100 500 "signalled acked timer"
else
	killed "heap" 4 150 "heap:2"
	killed "signals" 4 150 "signalled acked"
fi
done_testing
