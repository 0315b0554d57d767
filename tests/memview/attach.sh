#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memview --pid: a running process live, for as long as it is looked at.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

XDG_RUNTIME_DIR=$work/sockets
export XDG_RUNTIME_DIR
mkdir -m 700 "$XDG_RUNTIME_DIR"

"$testbin/launcher/looper" 1 >"$work/ready" &
target=$!
view_wait test -s "$work/ready"
if ! "$memtrack" --pid "$target" --duration 0.01 -o "$work/first.mtk" 2>"$work/err"; then
	kill "$target"
	skip_all "$(head -n 1 "$work/err")"
fi

view_start 120 30 --pid "$target" -o "$work/saved.mtk"
shows "● LIVE .*process $target .* [1-9][0-9,.kM]* allocs" "its allocations are shown live"
like "$("$memtrack" --pid "$target" status)" "traced by memtrack" "it is traced meanwhile"
press q
shows '^ d detach: it goes on as before, untraced' "q asks what is to become of it"
press q
shows "● LIVE .* allocs" "and again: nothing, for now"
press q d
ends 0 "d ends the viewer"
like "$("$memtrack" --pid "$target" status)" "not traced" "and the tracing"
like "$("$testbin/tools/trace_dump" --facts "$work/saved.mtk")" "^end 3 0 " "the saved trace has its end"

# A terminal that cannot do it.
view_env="TERM=dumb"
view_start 120 30 --pid "$target"
ends 2 "TERM=dumb is refused"
like "$(cat "$work/stderr")" '^memview: .*dumb.*--report' "K107 with a hint"
like "$("$memtrack" --pid "$target" status)" "not traced" "K107 and nothing is left in the process"
view_env=

# Job control is the viewer's alone.
if command -v bash >/dev/null; then
	view_terminal 120 30 env PS1='ready> ' bash --norc --noprofile -i
	shows 'ready>' "a shell with job control"
	type_text "'$memview' --pid $target"
	press Enter
	shows "● LIVE .* allocs" "memview in it"
	press C-z
	shows 'Stopped' "is stopped"
	unlike "$(sed 's/.*) //' "/proc/$target/stat")" '^[Tt]' "K108 but not what it looks at"
	type_text fg
	press Enter
	shows "● LIVE .* allocs" "fg brings it back"
	press q d
	shows 'ready> *$' "q and d end it"
	like "$("$memtrack" --pid "$target" status)" "not traced" "and the tracing"
fi

# What it prints, where that is a file.
view_start 120 30 --pid "$target"
shows "● LIVE .* allocs" "again"
press o
shows '^ready' "o shows the file that its output goes into"
press o
shows "● LIVE .* allocs" "and the viewer again"
viewer=$(pgrep -f -x -n "$memview --pid $target")
kill -KILL "$viewer"
untraced() { "$memtrack" --pid "$target" status | grep -q 'not traced'; }
ok "a viewer that is killed takes its memtrack with it" view_wait untraced
kill "$target"
wait "$target"
is $? 0 "the program never noticed"

# k: by SIGTERM, which this one takes for a request, and by SIGKILL, which the shell here does not survive.
for ends in "exec '$testbin/launcher/looper' 1" "trap '' TERM; echo here; while :; do sleep 0.1; done"; do
	: >"$work/ready"
	sh -c "$ends" >"$work/ready" &
	target=$!
	view_wait test -s "$work/ready"
	view_start 120 30 --pid "$target" -o "$work/saved.mtk"
	shows "● (LIVE|DONE)" "it is looked at"
	press C-c
	shows '^ k kill it' "Ctrl-C asks the same"
	press k
	ends 0 "k ends the viewer"
	wait "$target"
	status=$?
	like "$("$testbin/tools/trace_dump" --facts "$work/saved.mtk")" "^end [012] " "the trace has the program's end"
	case $ends in
	exec*) is $status 0 "and the program" ;;
	*) is $status 137 "and the program, that did not want to" ;;
	esac
done
done_testing
