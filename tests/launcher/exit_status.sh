#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack ends as its command does, and with statuses of its own as env and timeout.
. "${top_srcdir:-.}/tests/tap.sh"

# status WANT NAME ARG...
status()
{
	want=$1 name=$2
	shift 2
	"$memtrack" -q -o "$work/t.mtk" "$@" >"$work/out" 2>"$work/err" </dev/null
	is $? "$want" "$name"
}

status 0 "success" true
status 3 "a status" sh -c 'exit 3'
status 255 "the largest status" sh -c 'exit 255'
status 143 "killed by SIGTERM" sh -c 'kill -TERM $$'
status 137 "killed by SIGKILL" sh -c 'kill -KILL $$'
status 139 "killed by SIGSEGV" sh -c 'kill -SEGV $$'
status 134 "killed by SIGABRT" sh -c 'kill -ABRT $$'

status 127 "no such command" no-such-command-anywhere
like "$(cat "$work/err")" "^memtrack: cannot run 'no-such-command-anywhere': No such file" "one line says so"
is "$(wc -l <"$work/err" | tr -d ' ')" 1 "and only one"
status 127 "no such path" "$work/none/prog"
: >"$work/plain"
status 126 "a file that is not executable" "$work/plain"
status 126 "a directory" "$work"
printf '\177ELFnonsense' >"$work/broken"
chmod +x "$work/broken"
env "$work/broken" 2>/dev/null
native=$?
status "$native" "an executable that is none: as env has it" "$work/broken"
printf 'exit 7\n' >"$work/script"
chmod +x "$work/script"
status 7 "a script without #!" "$work/script"
printf '#!/bin/sh\nexit 8\n' >"$work/script"
status 8 "a script with #!" "$work/script"
printf '#!/no/such/interpreter\n' >"$work/script"
status 127 "a script whose interpreter is missing" "$work/script"

"$memtrack" >"$work/out" 2>"$work/err"
is $? 125 "no command"
like "$(cat "$work/err")" '^memtrack: no command to run; see memtrack --help$' "says so"
"$memtrack" --no-such-option true >"$work/out" 2>"$work/err"
is $? 125 "an unknown option"
is "$(wc -l <"$work/err" | tr -d ' ')" 1 "is said in one line"
"$memtrack" --stack-depth 257 touch "$work/started" 2>"$work/err"
is $? 125 "a depth that is too large"
ok "nothing was started" test ! -e "$work/started"
"$memtrack" -o "$work/none/t.mtk" touch "$work/started" 2>"$work/err"
is $? 125 "an output that cannot be written"
like "$(cat "$work/err")" "cannot write '.*/none/t.mtk': No such file or directory" "names it"
ok "nothing was started then either" test ! -e "$work/started"
"$memtrack" -f --format text -o - touch "$work/started" >/dev/null 2>"$work/err"
is $? 125 "options that exclude each other"
like "$(cat "$work/err")" '^memtrack: --follow .*give -o FILE' "and the remedy"
ok "nothing was started at all" test ! -e "$work/started"
is "$(cd "$work" && "$memtrack" no-such-command 2>/dev/null; find . -name 'memtrack.*')" "" \
	"a command that is missing leaves no trace file"

is "$("$memtrack" --version)" "memtrack $(sed -n 's/^AC_INIT(\[memtrack\], \[\([^]]*\)\].*/\1/p' \
	"$top_srcdir/configure.ac")" "--version"
ok "--help" sh -c '"$1" --help | grep -q -e --stack-depth' - "$memtrack"
ok "--help wins over a missing command" "$memtrack" --help
"$memtrack" --help >/dev/full 2>"$work/err"
is $? 125 "--help on a full device fails"
done_testing
