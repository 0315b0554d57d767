#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack --view and memview -- COMMAND: the program, memtrack and memview in one terminal.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"
need pgrep

memtrack=$(cd "$(dirname "$memtrack")" && pwd)/$(basename "$memtrack")
dump=$testbin/tools/trace_dump
mkfifo "$work/go" "$work/stop"

# What is run: it says that it started, and goes on as it is told by what comes through a pipe.
cat >"$work/target" <<'END'
echo $$ >pid
trap 'echo got HUP; exit 7' HUP
trap 'echo got INT; exit 6' INT
echo started
printf 'red \033[31mtext\033[0m, a title \033]0;evil\007, raw \001\233 bytes\n'
read -r word <go || read -r word <go
echo "was told $word"
exit 3
END

# begin [WORDS]: memtrack --view in a terminal whose modes are noted before and after.
begin()
{
	rm -f "$work/before" "$work/after" "$work/pid" "$work/front" "$work"/t.mtk*
	view_run 100 30 "trap : INT
cd '$work'
echo A line of the shell
stty -a >before
sh -c 'echo \$\$ >front; exec \"\$@\"' - ${1:-\"$memtrack\" --no-report --view -o t.mtk sh target}
code=\$?
stty -a >after
(exit \$code)"
}

runs()
{
	begin
	shows '● LIVE' "$1: it runs, and is shown live"
}

tell_target() { echo "$1" >"$work/go"; }
front() { cat "$work/front"; }

sane()
{
	is "$(cat "$work/after")" "$(cat "$work/before")" "$1: the modes of the terminal are as they were"
	shows 'A line of the shell' "$1: so is the screen"
	is "$(view_state cursor) $(view_state alternate) $(view_state mouse)" "1 0 0" "$1: the cursor is visible, the mouse the terminal's"
}

# The program ends while it is looked at.
runs "to the end"
press o
shows '^started' "K112 its output is shown"
shows '^red text, a title , raw \\x01\\x9b bytes' "K112 without harm"
press o
shows '● LIVE' "o goes back"
press q
shows 'still runs' "q asks"
press x
shows 'still runs' "another key is no answer"
press Escape
shows '● LIVE' "Esc stays"
tell_target apples
shows '✕ DONE .*exit status 3' "its end is shown"
press o
shows '^was told apples' "with its last words"
press o q
ends 3 "q ends it then, with the program's exit status"
sane "to the end"
shows 'memtrack: trace in t.mtk$' "the trace is named"
shows 'memtrack: output of the program in t.mtk.out$' "and the output"
like "$("$dump" --facts "$work/t.mtk")" '^end 1 3 ' "the trace is complete"
view_start 100 30 "$work/t.mtk"
shows '✕ DONE' "the trace can be looked at later"
press o
shows '^was told apples' "with the output"
press o q
ends 0 "and left"

# What becomes of the program.
runs "go on"
press q g
shows 'goes on, traced' "g: it goes on without the viewer"
sane_now="$(view_state cursor) $(view_state alternate) $(view_state mouse)"
is "$sane_now" "1 0 0" "the terminal is free"
tell_target pears
ends 3 "memtrack waits for it"
like "$("$dump" --facts "$work/t.mtk")" '^end 1 3 ' "the trace goes to its end"
like "$(cat "$work/t.mtk.out")" '^was told pears' "so does the output"

runs "detach"
press q d
ends 0 "d: memtrack ends"
sane "detach"
like "$("$dump" --facts "$work/t.mtk")" '^end 3 0 ' "the trace ends there, and is complete"
ok "the program goes on" kill -0 "$(cat "$work/pid")"
tell_target plums
told() { grep -q 'was told plums' "$work/t.mtk.out"; }
ok "undisturbed" view_wait told

runs "kill"
press q k
ends 143 "k: it is asked to end"
sane "kill"
like "$("$dump" --facts "$work/t.mtk")" '^end 2 15 ' "the trace goes to its end"
begin "'$memtrack' --no-report --view -o t.mtk sh -c 'trap \"\" TERM; echo \$\$ >pid; read -r word <go'"
shows '● LIVE' "one that does not listen"
press q k
ends 137 "is killed in the end"

# Ctrl-C is the viewer's, until it is gone.
runs "Ctrl-C"
press C-c
shows 'still runs' "Ctrl-C asks, too"
press C-c
shows 'goes on, traced' "the second time it means to go on"
press C-c
ends 6 "then it is the program's"
like "$(cat "$work/t.mtk.out")" '^got INT' "which gets it once"
sane "Ctrl-C"

# Accidents.
viewer() { pgrep -P "$(front)" -x memview; }
runs "a killed viewer"
kill -KILL "$(viewer)"
shows 'memview was ended by signal 9' "it is said"
shows 'goes on, traced' "the program goes on"
is "$(view_state cursor) $(view_state alternate) $(view_state mouse)" "1 0 0" "K109 the terminal is put right"
tell_target figs
ends 3 "memtrack waits for it"
sane "a killed viewer"
like "$("$dump" --facts "$work/t.mtk")" '^end 1 3 ' "the trace is complete"

runs "a killed memtrack"
kill -KILL "$(pgrep -P "$(front)" -x memtrack)"
shows '✕ LOST' "that is shown"
shows 'goes on untraced' "and said"
press q
ends 125 "memtrack itself failed"
sane "a killed memtrack"
ok "the program runs on" kill -0 "$(cat "$work/pid")"
tell_target dates

runs "SIGTERM"
kill -TERM "$(front)"
ends 143 "SIGTERM to memtrack ends program and viewer"
sane "SIGTERM"

runs "hang-up"
view_stop
hung_up() { grep -q 'got HUP' "$work/t.mtk.out"; }
ok "with the terminal closed the program gets SIGHUP" view_wait hung_up
complete() { "$dump" --facts "$work/t.mtk" 2>/dev/null | grep -q '^end 1 7 '; }
ok "and is traced to its end" view_wait complete

# A flood of output, with a line that does not end.
begin "'$memtrack' --no-report --view -o t.mtk sh -c 'echo the first line; yes aaaa | head -c 40000000
	head -c 3000000 /dev/zero | tr \"\\0\" y; read -r word <go; echo; echo the last line; read -r word <stop'"
shows '● LIVE' "a flood of output"
press o
shows 'Output of the program  41\.0 MiB' "is taken in"
shows '^y{100}$' "a line that does not end is shown in pieces"
press PPage
shows ' at 9[0-9]%' "one can move in it"
press Home
shows '^the first line' "to the beginning"
press C-f
hides '^the first line' "and on"
tell_target on
press End
shows '^the last line' "to the end, where it stays"
echo on >"$work/stop"
press o
shows '✕ DONE' "the viewer does not mind"
press q
ends 0 "it ends"

# Job control: the viewer stops, the program does not.
if command -v bash >/dev/null; then
	cat >"$work/counter" <<'END'
echo $$ >pid
i=0
while [ $i -lt 3000 ]; do
	i=$((i + 1))
	echo "line $i"
	sleep 0.02
done
END
	view_terminal 100 30 env PS1='ready> ' bash --norc --noprofile -i
	shows 'ready>' "a shell with job control"
	rm -f "$work"/t.mtk*
	type_text "cd '$work'; '$memtrack' --no-report --view -o t.mtk sh counter"
	press Enter
	shows '● LIVE' "memtrack --view runs in it"
	press C-z
	shows 'Stopped' "Ctrl-Z stops it"
	lines=$(wc -l <"$work/t.mtk.out")
	more() { [ "$(wc -l <"$work/t.mtk.out")" -gt $((lines + 3)) ]; }
	ok "K108 not the program" view_wait more
	type_text fg
	press Enter
	shows '● LIVE' "K108 fg shows it again"
	hides 'EVENTS LOST' "nothing was lost"
	press q k
	shows 'memtrack: trace in' "keys work, and end it"
else
	skip "job control" "bash is not installed"
fi

# Standard descriptors: the terminal's are replaced, others are not.
begin "'$memtrack' --no-report --view -o t.mtk sh -c 'read -r x; echo \"<\$x>\"; tty; (: </dev/tty) 2>&1; exit 5'"
shows '✕ DONE' "a program that reads the terminal"
press o
shows '^<>$' "K112 reads nothing"
shows '^not a tty' "K112 has no terminal"
shows 'cannot open /dev/tty' "K112 and cannot open it"
press o q
ends 5 "it was not stopped"
echo "from a file" >"$work/input"
begin "sh -c '\"$memtrack\" --no-report --view -o t.mtk sh -c \"read -r x; echo \\\"<\\\$x>\\\"; echo error >&2\" <input >output'"
shows '✕ DONE' "redirections of the user's"
press q
ends 0 "K110 do not keep the viewer from the terminal"
is "$(cat "$work/output")" "<from a file>" "K110 and stay as they are"
is "$(cat "$work/t.mtk.out")" "error" "only what went to the terminal is kept"
begin "'$memview' -o t.mtk -- sh -c 'echo one; echo two >&2; exit 9'"
shows '✕ DONE .*exit status 9' "memview -- COMMAND"
press o
shows '^two' "is the same"
press o q
ends 9 "with the same exit status"

# Nothing is started that could not be looked at.
refused() # STATUS WORDS NAME
{
	ends "$1" "$3: exit status"
	shows "$2" "$3: in one line"
	is "$(find "$work" -name 'touched' -o -name 't.mtk*' -o -name 'memtrack.*')" "" "$3: nothing is started, no file left"
}
begin "env TERM=dumb '$memtrack' --view touch touched"
refused 125 'cannot move its cursor' "no screen"
begin "'$memtrack' --view no-such-program"
refused 127 "cannot run 'no-such-program'" "no program"
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
begin "'$memtrack' --view ./script"
refused 127 "cannot run './script'" "no interpreter"
begin "'$memtrack' --view -o - touch touched"
refused 125 '--view and -o - exclude' "no file"
begin "'$memtrack' --view --pid 1"
refused 125 'memview --pid PID' "a running process"
mkdir -p "$work/bin"
ln "$memtrack" "$work/bin/" 2>/dev/null || cp "$memtrack" "$work/bin/"
begin "env PATH=/nowhere '$work/bin/memtrack' --view touch touched"
refused 125 'cannot find memview' "no viewer"
ln "$memview" "$work/bin/" 2>/dev/null || cp "$memview" "$work/bin/"
rm "$work/bin/memtrack"
begin "env PATH=/nowhere '$work/bin/memview' -- touch touched"
refused 2 'cannot run memtrack' "no memtrack"
setsid -w "$memtrack" --view touch "$work/touched" </dev/null >"$work/out" 2>"$work/err"
is "$?:$(cat "$work/err")" "125:memtrack: --view needs a terminal; without it the trace goes into a file that memview shows later" "no terminal"
done_testing
