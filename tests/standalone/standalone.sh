# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: runs programs under the hook alone.
#
#	alone [VARIABLE=VALUE...] -- COMMAND...
#
# with the log in $work/log (unless the variables say otherwise), stdout and stderr in $work/out
# and $work/err, the exit status in $status.  events [AWK-VARIABLE=VALUE] reads the log by log.awk.
. "${top_srcdir:-.}/tests/tap.sh"
[ -f "$hook" ] || skip_all "memtrack.so is not built"
programs=$testbin/standalone
log=$work/log

# A hook of a log that is written nowhere would hang the test: everything has a limit.
alone()
{
	alone_variables=MEMTRACK_OUTPUT=$log
	while [ "$1" != -- ]; do
		alone_variables="$alone_variables $1"
		shift
	done
	shift
	rm -f "$log"
	# shellcheck disable=SC2086
	timeout 60 env $alone_variables LD_PRELOAD="$hook" "$@" >"$work/out" 2>"$work/err"
	status=$?
}

events() { LC_ALL=C awk -v "${1:-mode=plain}" -f "$top_srcdir/tests/standalone/log.awk" "$log"; }

# well_formed NAME [MODE]: every line of the log is what the format says.
well_formed()
{
	events "mode=${2:-plain}" >"$work/events"
	is "$(grep -c '^WRONG' "$work/events")" 0 "$1: every line is well-formed"
	grep '^WRONG' "$work/events" | head -n 3 | sed 's/^/# /'
}

# run_case NAME PROGRAM [ARG...]: a program of tests/hook, which says what it does, under the hook alone.
# After tests/hook/expected.sh.
run_case()
{
	name=$1
	shift
	for depth in 0 64; do
		alone MEMTRACK_STACK_DEPTH=$depth -- "$@"
		is $status 0 "$name, depth $depth: exit status"
		unlike "$(cat "$work/out")" FAIL "$name, depth $depth: behaves"
		is "$(cat "$work/err")" "" "$name, depth $depth: nothing on stderr"
		well_formed "$name, depth $depth"
		awk '{ print $3, $4 }' "$work/events" >"$work/done"
		expected "$name, depth $depth: the log holds what it did"
	done
}
