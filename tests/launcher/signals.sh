#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: signals sent to memtrack reach the command, once; stops are mirrored.
. "${top_srcdir:-.}/tests/tap.sh"

# wait_for COMMAND...: until it succeeds, at most 10 s.
wait_for()
{
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || return 1
		sleep 0.02
	done
}

state() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; }
is_state() { [ "$(state "$1")" = "$2" ]; }

# A command that writes its pid, then the signals it gets.
cat >"$work/target" <<'END'
#!/bin/sh
for s in HUP USR1 USR2 TERM WINCH; do
	trap "echo $s >>$1/got" $s
done
trap "echo CONT >>$1/got" CONT
trap 'exit 9' ALRM
echo $$ >"$1/pid.new"
mv "$1/pid.new" "$1/pid"
while :; do sleep 0.05; done
END
chmod +x "$work/target"

start()
{
	rm -f "$work/pid" "$work/got"
	"$memtrack" -q -o "$work/t.mtk" "$work/target" "$work" </dev/null >"$work/out" 2>&1 &
	launcher=$!
	wait_for test -s "$work/pid"
	target=$(cat "$work/pid")
}

# What the caller of this test ignores, or its orphaned process group is not stopped by, cannot be
# seen to arrive here: a plain command is the measure.
sleep 30 &
plain=$!
kill -TSTP $plain
stops=yes
sleep 0.2
is_state $plain T || stops=no
kill -KILL $plain

start
for s in HUP USR1 USR2 TERM WINCH; do
	if [ $s = HUP ] && [ $(($(sed -n 's/^SigIgn:.*\(.\)$/0x\1/p' /proc/self/status) & 1)) -eq 1 ]; then
		skip "SIGHUP arrives" "whoever runs the tests ignores SIGHUP"
		continue
	fi
	kill -$s $launcher
	ok "SIG$s arrives" wait_for grep -q "^$s\$" "$work/got"
done
sleep 0.2
is "$(sort "$work/got" | uniq -d)" "" "each arrives once"

kill -STOP "$target"
ok "memtrack stops when its command does" wait_for is_state $launcher T
kill -CONT $launcher
ok "continuing memtrack continues the command" wait_for sh -c '! grep -q "^State:.T" /proc/'"$target"/status
ok "and memtrack" wait_for is_state $launcher S

kill -STOP "$target"
wait_for is_state $launcher T
kill -CONT "$target" $launcher
ok "both are continued" wait_for is_state $launcher S
kill -USR1 "$target"
if [ $stops = yes ]; then
	kill -TSTP $launcher
	ok "SIGTSTP to memtrack stops the command" wait_for is_state "$target" T
	ok "and memtrack after it" wait_for is_state $launcher T
	kill -CONT $launcher
	ok "both go on once more" wait_for is_state $launcher S
else
	skip "SIGTSTP to memtrack stops the command" "this process group is orphaned"
fi
kill -ALRM $launcher
wait $launcher
is $? 9 "the status is that of the signal's handler"

start
kill -KILL "$target"
wait $launcher
is $? 137 "SIGKILL of the command"

start
kill -KILL $launcher
wait $launcher 2>/dev/null
kill -USR1 "$target"
ok "the command survives a SIGKILL of memtrack" wait_for grep -q USR1 "$work/got"
kill -ALRM "$target"
ok "and ends by itself" wait_for test ! -e "/proc/$target"

# Started with SIGCHLD and SIGINT ignored, as some daemons do.
is "$(sh -c 'trap "" INT CHLD; exec "$0" -q -o "$1" grep SigIgn /proc/self/status' "$memtrack" "$work/t.mtk")" \
	"$(sh -c 'trap "" INT CHLD; exec grep SigIgn /proc/self/status')" "ignored signals stay ignored"
is "$("$memtrack" -q -o "$work/t.mtk" grep SigBlk /proc/self/status)" "$(grep SigBlk /proc/self/status)" \
	"no signal is blocked"
done_testing
