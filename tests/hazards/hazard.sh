# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: one program for each line of the list of things that have broken tools of this kind.
# A test sources this, then for each line
#
#	hazard A1 "memory from before main" [EXPECTATION...] -- PROGRAM [ARG...]
#
# runs PROGRAM natively and under memtrack, as text and binary trace, without and with stacks, each
# in a folder of its own, and makes one assertion a mode: stdout, stderr, exit status and files are
# the same, and the trace meets the EXPECTATIONs (tests/hazards/ledger.c).  To save time the lines
# take turns: two of the four modes each; MEMTRACK_LONG=1 tries every mode with every line.
#
# $options	more options for memtrack
# $environment	VARIABLE=VALUE ... for the program alone and for memtrack
# $same		a command that takes out of stdout what differs from run to run
# $also		a command that prints what else is wrong; it finds $trace, $format, $depth and
#		$work/native, $work/traced with .out, .err and the folder itself
# $expect	EXPECTATIONs of every line
# $deep		EXPECTATIONS that only hold with stacks
# $modes	"FORMAT/DEPTH ..." instead of those whose turn it is
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
h=$testbin/hazards
trace=$work/trace
every_mode="text/0 text/64 mtk/0 mtk/64"
these="text/0 mtk/64" those="text/64 mtk/0"

# The modes whose turn it is, in $turn.
next_turn()
{
	turn=$these
	these=$those
	those=$turn
	[ -z "${MEMTRACK_LONG:-}" ] || turn=$every_mode
}

plain()
{
	options='' environment='' same=cat also=: deep='' modes=''
	expect="lost=0 damaged=0 complete=1"
}
plain

# in_folder NAME COMMAND...: runs it in an empty folder, which is called NAME afterwards, its words
# and status beside it.
in_folder()
{
	folder=$work/$1
	shift
	rm -rf "$folder"
	mkdir "$work/folder"
	(cd "$work/folder" && exec timeout --foreground -k 10 120 "$@") \
		>"$folder.out" 2>"$folder.err" </dev/null
	echo $? >"$folder.status"
	mv "$work/folder" "$folder"
}

differ()
{
	[ "$(cat "$work/traced.status")" = "$(cat "$work/native.status")" ] ||
		echo "exit status $(cat "$work/traced.status"), natively $(cat "$work/native.status")"
	for differ_what in out err; do
		$same <"$work/native.$differ_what" >"$work/native.same"
		$same <"$work/traced.$differ_what" | diff "$work/native.same" - ||
			echo "... in std$differ_what"
	done
	diff -r "$work/native" "$work/traced"
}

# line FUNCTION LINE NAME [EXPECTATION...] -- PROGRAM [ARG...]: natively, then as FUNCTION does it.
line()
{
	line_function=$1 hazard_name="$2 $3" wants=$expect
	shift 3
	while [ "$1" != -- ]; do
		wants="$wants $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	in_folder native env $environment "$@"
	"$line_function" "$@"
}

hazard() { line every_turn "$@"; }
every_turn()
{
	[ -n "$modes" ] || next_turn
	for hazard_mode in ${modes:-$turn}; do
		format=${hazard_mode%/*} depth=${hazard_mode#*/}
		hazard_once "$@"
	done
}

hazard_once()
{
	rm -f "$trace" "$trace".*
	# shellcheck disable=SC2086
	in_folder traced env $environment "$memtrack" -q --no-report $options --format "$format" -d "$depth" \
		-o "$trace" "$@"
	{
		differ
		set -f
		# shellcheck disable=SC2086
		[ "$wants" = none ] || "$h/ledger" "$trace" $wants $([ "$depth" = 0 ] || echo "$deep")
		set +f
		$also
	} >"$work/wrong" 2>&1
	stacks=$([ "$depth" = 0 ] && echo "no stacks" || echo stacks)
	is "$(head -n 30 "$work/wrong")" "" "$hazard_name, $format, $stacks"
}

# attached LINE NAME [EXPECTATION...] -- PROGRAM [ARG...]: the same, where memtrack comes at the program's
# hazard_gate(), in both ways of getting in.
attached() { line every_form "$@"; }
every_form()
{
	for form in dlopen map; do
		attached_once "$@"
	done
}

# to_gate FORM PROGRAM [ARG...]: starts it and attaches to it at its gate.
to_gate()
{
	gate_form=$1
	shift
	rm -f "$trace" "$work/gate" "$work/gate.ready"
	mkfifo "$work/gate"
	HAZARD_GATE=$work/gate in_folder traced "$@" &
	until [ -e "$work/gate.ready" ]; do sleep 0.05; done
	rm "$work/gate.ready"
	target=$(pgrep -f -- "^$1( |\$)")
	"$memtrack" -q --no-report --inject "$gate_form" -o "$trace" --pid "$target" 2>"$work/refused" &
	tracer=$!
	until "$memtrack" --pid "$target" status >/dev/null 2>&1 || ! kill -0 $tracer 2>/dev/null; do sleep 0.05; done
}

attached_once()
{
	to_gate $form "$@"
	: >"$work/gate"
	wait
	if grep -Eq 'ptrace|CAP_|this CPU' "$work/refused"; then
		skip "$hazard_name, $form" "$(head -n 1 "$work/refused")"
		return
	fi
	{
		cat "$work/refused"
		differ
		# shellcheck disable=SC2086
		"$h/ledger" "$trace" $wants
	} >"$work/wrong" 2>&1
	is "$(head -n 30 "$work/wrong")" "" "$hazard_name, $form"
}

# by_hand LINE NAME WHY: not to be tried here.
by_hand() { skip "$1 $2" "$3"; }
