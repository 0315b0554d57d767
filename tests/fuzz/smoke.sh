#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: each fuzz target runs over its corpus and some mutations of it.  MEMTRACK_LONG=1 runs more.
. "${top_srcdir:-.}/tests/tap.sh"
corpus=$top_srcdir/tests/fuzz/corpus
cd "$work" || exit 1

# replays TARGET MUTATIONS: the target's own results; a death is one more failure.
replays()
{
	mutations=$2
	[ -z "${MEMTRACK_LONG:-}" ] || mutations=$((mutations * 50))
	"$testbin/fuzz/replay" "$1" "$mutations" "$corpus/$1"/* >"$work/out" 2>"$work/err"
	status=$?
	while read -r result; do
		case $result in
		'ok '*) ok "${result#* - }" ;;
		'not ok '*) not_ok "${result#* - }" ;;
		esac
	done <"$work/out"
	[ "$status" -gt 1 ] || return
	cp "replay.$1.input" "$top_builddir/" 2>/dev/null
	not_ok "$1 died with status $status; its input is in replay.$1.input, behind 8 bytes of length" \
		"$(tail -n 30 "$work/err")"
}

replays text 400
replays records 3000
replays container 400
replays columns 3000
replays settings 1500
replays address 3000
replays standalone 3000
replays segment 400
replays elf 60
replays maps 2000
is "$(du -sk "$corpus" | awk '{ print ($1 > 1200) }')" 0 "the corpora are small"
done_testing
