#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: where traces go: default names, patterns, what is overwritten and what is not.
. "${top_srcdir:-.}/tests/tap.sh"

run() { "$memtrack" --no-report "$@" 2>"$work/err"; }
is_trace() { [ "$(head -c 5 "$1" | od -An -c | tr -d ' \n')" = '211MTRK' ]; }
name() { sed -n 's/^memtrack: trace in //p' "$work/err"; }

mkdir "$work/d" && cd "$work/d" || exit 1
run true
like "$(name)" '^memtrack\.true\.[0-9]+\.mtk$' "the default name"
ok "is a trace" is_trace "$(name)"
cp "$(env which true)" "$work/a b*c"
run "$work/a b*c"
like "$(name)" '^memtrack\.a_b_c\.[0-9]+\.mtk$' "odd characters of a command's name are replaced"
run --format text true
like "$(name)" '^memtrack\.true\.[0-9]+\.txt$' "the text log"

# The child's pid is guessed by making many links.
rm -rf ./*
: >"$work/victim"
last=$(sh -c 'echo $$')
i=$last
while [ $i -lt $((last + 400)) ]; do
	ln -s "$work/victim" "memtrack.true.$i.mtk"
	i=$((i + 1))
done
run true
if [ -n "$(name)" ] && [ ! -L "$(name)" ]; then
	is "$(wc -c <"$work/victim" | tr -d ' ')" 0 "a link in the way is not followed"
	like "$(name)" '^memtrack\.true\.[0-9]+\.mtk(\.1)?$' "a number is appended to the name"
else
	not_ok "a link in the way" "$(cat "$work/err")"
fi
rm -rf ./*

run -o x.mtk true
ok "-o FILE" is_trace x.mtk
echo old >x.mtk
run -o x.mtk true
ok "is overwritten" is_trace x.mtk
run -o 'p.%p.%c.%%.mtk' true
like "$(name)" '^p\.[0-9]+\.true\.%\.mtk$' "%p %c %%"
run -o 'x.%t' true
like "$(name)" '^x\.[0-9]{10}$' "%t"
run -o - true >out.mtk
ok "-o - is stdout" is_trace out.mtk
is "$(cat "$work/err")" "" "of which nothing is said"
run -o - true | cat >piped.mtk
ok "stdout may be a pipe" is_trace piped.mtk
run -o - sh -c 'exit 5' | true
run -o - true >/dev/null
is $? 0 "stdout may be a device"
mkfifo fifo
cat fifo >from.mtk &
run -o fifo true
wait
ok "-o FIFO" is_trace from.mtk
run -o /dev/full sh -c 'exit 6'
is $? 6 "a full device does not disturb the command"
mkdir dir
run -o dir true
is $? 125 "a folder cannot be written"
umask 077
run -o private.mtk true
is "$(stat -c %a private.mtk)" 600 "the umask holds"
MEMTRACK_OUTPUT=env.mtk run true
ok "MEMTRACK_OUTPUT" is_trace env.mtk
MEMTRACK_OUTPUT=env2.mtk run -o cmd.mtk true
ok "the command line wins" test -e cmd.mtk -a ! -e env2.mtk
done_testing
