# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the viewer and terminals (group K), what the tests of tests/memview/ do not say already; there,
# names of assertions begin with the line's number, too.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
need objcopy pgrep
cc=${MEMTRACK_CC:-cc}
cd "$work" || exit 1
mkdir -m 700 sockets
export XDG_RUNTIME_DIR="$work/sockets"
sh "$make_log" demo 50 >"$view_log"

# unsafe FILE: how many control codes it has, C1 ones in UTF-8 among them; only ends of lines are none.
c1=$(printf '\302[\200-\237]')
unsafe()
{
	{
		LC_ALL=C tr -d '\012\040-\176\200-\377' <"$1"
		LC_ALL=C grep -ao "$c1" "$1"
	} | wc -c
}

# K101: control codes in the names of a function, a thread, the program and its arguments.
evil=$(printf 'evil\033[31m\033]0;owned\007\177\r\t\302\233name')
cat >evil.c <<'EOF'
#include <stdlib.h>
#include <sys/prctl.h>
void *volatile kept;
void evil(int n);
__attribute__((noinline)) void evil(int n) { kept = malloc(n); }
int main(void) { prctl(PR_SET_NAME, "a\033[2J\177\t\302\233b"); evil(777); evil(778); return 0; }
EOF
$cc -fno-builtin -c evil.c -o evil.o && objcopy --redefine-sym "evil=$evil" evil.o && $cc evil.o -o "./$evil" || exit 1
# A text log has no room for them: there, the hook writes question marks.
for format in mtk text; do
	case $format in
	mtk) esc='(\\\\?x1b|\\u001b)' bel='(\\\\?x07|\\u0007)' other='\\x7f\\x0d\\x09' ;;
	*) esc='\?' bel='\?' other='\?\?\?' ;;
	esac
	"$memtrack" --report --format $format -d 8 -o "evil.$format" "./$evil" "$(printf 'argument\033[41m\302\233')" 2>said
	is $? 0 "K101 $format: it is traced"
	is "$(unsafe said)" 0 "K101 $format: what memtrack says has no control codes"
	for words in --report "--report --json"; do
		# shellcheck disable=SC2086
		"$memview" $words "evil.$format" >report 2>&1
		is "$(unsafe report)" 0 "K101 $format: $words neither"
		like "$(cat report)" "evil$esc\[31m$esc\]0;owned$bel" "K101 $format: $words shows them as text"
	done
	view_start 200 40 "evil.$format"
	shows '[1-9] allocs' "K101 $format: the viewer opens it"
	press g
	shows "evil$esc\[31m$esc\]0;owned$bel$other\\\\xc2\\\\x9bname" "K101 $format: and shows a function's name as text"
	shows "a$esc\[2J.*\\\\xc2\\\\x9bb" "K101 $format: and a thread's"
	press W
	type_text "$work/rows.$format"
	press Enter
	shows ' written' "K101 $format: rows are exported"
	is "$(unsafe "rows.$format")" 0 "K101 $format: without them"
	press v v v v v v v v v
	is "$(view_state title)" "" "K101 $format: the window has its title"
	faultless "K101 $format: nothing but text was sent"
	press q
	ends 0 "K101 $format: it ends"
done
printf 'x' >"no$evil"
for words in "" --report "--report --json"; do
	# shellcheck disable=SC2086
	"$memview" $words "no$evil" >out 2>&1
	is "$(unsafe out)" 0 "K101 an error message about such a file $words"
done

# K104
view_env="LINES=5 COLUMNS=10"
view_start 80 24 "$view_log"
shows '^[─┬]{80}$' "K104 LINES and COLUMNS do not count"
resize 100 30
shows '^[─┬]{100}$' "K104 the window's size does, whenever it changes"
press q
view_env=

# K106: marks that take no column, at their letters.
sed "s/load_config/lo$(printf 'a\314\201\314\210')d_config/; s/(demo  /(d$(printf 'e\314\201')mo  /" "$view_log" >marks.log
view_start 120 30 marks.log
shows "$(printf 'loa\314\201\314\210d_config')" "K106 combining marks are shown"
shows "$(printf 'de\314\201mo')" "K106 of threads, too"
is "$(screen | sed -n '6,20p' | sed 's/│.*//' | LC_ALL=C.UTF-8 awk '{ gsub(/[\314][\201\210]/, ""); print length }' | sort -u | wc -l)" 1 \
	"K106 and take no column"
press q

# K107: a terminal without colours shows the selection; a live target does not mind one that cannot be used.
view_env="TERM=vt100"
view_start 80 24 "$view_log"
shows '106 shown' "K107 vt100"
press j
shows 'DONE' "K107 vt100: keys work"
reversed() { screen_with_styles | grep -q '^ ~.* reverse'; }
ok "K107 vt100: the selection is in reverse video" view_wait reversed
press q
ends 0 "K107 vt100: it ends"
mkfifo go
"$memtrack" --no-report --port 0 -o port.mtk sh -c 'read -r word <go; echo "was told $word"; exit 6' >told 2>said &
tracer=$!
listens() { port=$(sed -n 's/.*memview 127\.0\.0\.1:\([0-9]*\)$/\1/p' said) && [ -n "$port" ]; }
until_ok listens
listens
"$memview" --report "127.0.0.1:$port" >first 2>&1 &
first=$!
view_env="TERM=dumb"
view_start 80 24 "127.0.0.1:$port"
ends 2 "K107 TERM=dumb is refused for a live stream, too"
like "$(cat stderr)" '^memview: .*dumb.*--report' "K107 with a hint"
view_env=
echo plums >go
wait $tracer
is "$?:$(cat told)" "6:was told plums" "K107 the program does not mind"
wait $first
is $? 0 "K107 nor another viewer"

# K108: a program in a terminal of its own is not stopped, and can read it.
cat >asks <<'EOF'
echo $$ >pid
echo ready
read -r word
echo "got $word"
read -r word
EOF
mkfifo two.in two.out
TERM=xterm-256color "$testbin/memview/terminal" 80 24 sh asks <two.in >two.out &
exec 6>two.in 7<two.out
two()
{
	echo "$*" >&6
	read -r two_answer <&7
}
two "shows $((view_patience * 1000)) ready"
target=$(cat pid)
if ! command -v bash >/dev/null; then
	skip "K108 a terminal of the target's own" "bash is not installed"
elif ! "$memtrack" --pid "$target" --duration 0.01 -o first.mtk 2>said; then
	skip "K108 a terminal of the target's own" "$(head -n 1 said)"
else
	view_terminal 120 30 env PS1='ready> ' bash --norc --noprofile -i
	shows 'ready>' "K108 a shell with job control"
	type_text "'$memview' --pid $target"
	press Enter
	shows '● LIVE' "K108 memview in it"
	press C-z
	shows 'Stopped' "K108 is stopped by Ctrl-Z"
	is "$(view_state cursor) $(view_state alternate) $(view_state mouse)" "1 0 0" "K108 the shell has its terminal"
	unlike "$(sed 's/.*) //' "/proc/$target/stat")" '^[Tt]' "K108 the target is not stopped"
	echo "text figs" >&6
	echo "press Enter" >&6
	two "shows $((view_patience * 1000)) ^got figs"
	is "$two_answer" yes "K108 and reads its own terminal"
	type_text fg
	press Enter
	shows '● LIVE' "K108 fg draws it again"
	press q d
	shows 'ready> *$' "K108 and it ends"
fi
echo quit >&6
exec 6>&- 7<&-

# K110: a pipe into the program is the program's.
view_run 100 30 "printf 'from a pipe\n' | '$memview' -o pipe.mtk -- sh -c 'read -r x; echo \"<\$x>\" >$work/piped' 2>stderr"
shows '✕ DONE' "K110 the program's input is a pipe"
is "$(cat piped)" "<from a pipe>" "K110 and untouched"
press f
shows 'Filter: Leaks' "K110 keys come from the terminal"
press q
ends 0 "K110 it ends"
"$memview" -- true </dev/null >out 2>err
is "$?:$(wc -c <out)" "125:0" "K110 without a terminal nothing is run or written"
like "$(cat err)" '^memtrack: .*needs a terminal; without it the trace goes into a file' "K110 but an error"

# K111: names and screens larger than any line buffer.
name=$(head -c 9000 /dev/zero | tr '\0' n)
sed "s/load_config/$name/; s/(demo  /($name  /" "$view_log" >long.log
view_start 1000 400 long.log
shows 'nnnnnnnnnn' "K111 a long name on a large screen"
press G '\' Tab '?' x H H v v v v v v L
shows '\? help' "K111 in every view"
resize 70 20
shows 'n…' "K111 is cut on a small one"
faultless "K111 all that was sent was understood"
press q
ends 0 "K111 it ends"

# K112: a program that draws, with the terminal it finds.
cat >draws <<'EOF'
for on in /dev/stdout /dev/stderr /dev/tty; do
	printf '\033[?1049h\033[2J\033[41m\033[5;5Hdrawn\033]4;1;rgb:00/00/00\007' >$on
done 2>/dev/null
stty raw -echo 2>/dev/null
read -r word <go
tput clear 2>/dev/null
exit 4
EOF
view_start 100 30 -o draws.mtk -- sh draws
shows '● LIVE' "K112 a program that draws on the screen"
hides 'drawn' "K112 does not draw on this one"
shows '^[─┬]{100}$' "K112 which is whole"
press f
shows 'Filter: Leaks' "K112 and has its keys"
: >go
shows '✕ DONE .*exit status 4' "K112 to its end"
press o
shows 'drawn' "K112 what it drew is kept, as text"
press o q
ends 4 "K112 it ends"
faultless "K112 the screen was the viewer's alone"
done_testing
