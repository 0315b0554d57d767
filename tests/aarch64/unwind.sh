# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: on 64-bit ARM, the hook's unwinder gives the same stacks as glibc's backtrace(), at every heap call.
. "${top_srcdir:-.}/tests/aarch64/cross.sh"

verdict=$work/verdict

# probed NAME LEAST VARIABLES PROGRAM [ARG...]: as in tests/unwind/unwind.sh.
probed()
{
	name=$1 least=$2
	arm_env="UNWIND_PROBE_OUT=$verdict LD_PRELOAD=$out/probe.so $3"
	shift 3
	rm -f "$verdict"
	arm "$@" >"$work/out" 2>"$work/err"
	is $? 0 "$name: the program works"
	is "$(grep -c ': [0-9]* stacks, [0-9]* frames, 0 different;' "$verdict")" 1 "$name: no stack differs"
	grep -v ' 0 different;' "$verdict" | head -n 60 | sed 's/^/# /'
	stacks=$(sed -n 's/.*: \([0-9]*\) stacks,.*/\1/p' "$verdict")
	ok "$name: $stacks stacks, at least $least" [ "${stacks:-0}" -ge "$least" ]
}

# ended HOW COUNT: so many of the last program's stacks ended so.
ended() { is "$(sed -n "s/^unwind_probe .* $1 \([0-9]*\).*/\1/p" "$verdict")" "$2" "$name: $2 stacks $1"; }

cross probe.so hard hard_signed plugin_small.so plugin_large.so
for program in hard hard_signed; do
	for scenario in signals threads recursion longjmp; do
		probed "$program $scenario" 100 "" "$out/$program" $scenario
		ended unknown 0
	done
done
probed frames 5000 UNWIND_PROBE_EVERY=3 "$out/hard_signed" frames
ended unknown 0
probed altstack 500 UNWIND_PROBE_RANGES=1 "$out/hard" altstack
ended unknown 0
probed "altstack without ranges" 500 "" "$out/hard" altstack
probed coroutines 600 UNWIND_PROBE_RANGES=1 "$out/hard" coroutines
ended unreadable 0
# libgcc's unwinder crashes in glibc's resolver (its call frame information is wrong), so all is bound.
probed timer 300 "UNWIND_PROBE_RANGES=1 LD_BIND_NOW=1" "$out/hard" timer
ended unknown 0
probed "code without CFI" 12 "" "$out/hard" bare
ended unknown 12
probed "code made at run time" 40 "" "$out/hard_signed" jit
ended unknown 20
ended beyond 20
probed plugins 300 "" "$out/hard" plugins "$out/plugin_small.so" "$out/plugin_large.so"
if has_cxx; then
	cross hard_cxx
	probed C++ 1000 UNWIND_PROBE_EVERY=5 "$out/hard_cxx"
	ended unknown 0
else
	skip C++ "no aarch64 C++ compiler or library (g++-aarch64-linux-gnu)"
fi
done_testing
