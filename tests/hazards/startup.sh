# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: starting up: recursion, early allocation, other interposers (group A).
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

hazard A1 "memory from before main" made:malloc:1111=1 live::1111=0 made:calloc:1212=1 live::1212=0 \
	made:malloc:1313=1 live::1313=0 made:realloc:131313=1 live::131313=0 unknown=0 -- "$h/a1_early"
hazard A2 "the program forwards malloc to the next one" made:malloc:321=1000 live::321=0 unknown=0 \
	-- "$h/a2_forwarder"
hazard A3 "everything bound at once" made:malloc:1111=1 -- env LD_BIND_NOW=1 "$h/a1_early"
hazard A4 "no environment" live::5=0 live::99005=0 -- env -i "$h/a4_bare"

# alone VARIABLE=VALUE: the hook without a launcher says nothing but its log, if anything.
alone()
{
	env -i LD_PRELOAD="$hook" "$1" "$h/a4_bare" >"$work/out" 2>"$work/err"
	is "$?:$(cat "$work/out"):$(grep -v '^\[memtrack\]' "$work/err")" "0:OK:" "A4 the hook alone, with $1"
}
alone MEMTRACK_SOCKET=
alone MEMTRACK_SOCKET=nobody-listens-here
alone MEMTRACK_OUTPUT=/dev/null
alone MEMTRACK_OUTPUT=
alone NOTHING=

expect=none
no_addresses() { sed 's/ (0x[0-9a-f]*)$//; s/0x[0-9a-f]*//'; }
same=no_addresses
hazard A5 "ldd" -- ldd "$h/a4_bare"
plain
is "$(MEMTRACK_OUTPUT=/dev/null LD_PRELOAD=$hook ldd "$h/a4_bare" 2>&1 | no_addresses | grep -Fvx "	$hook")" \
	"$(ldd "$h/a4_bare" | no_addresses)" "A5 ldd with the hook preloaded shows one line more"

unlike "$(${MEMTRACK_READELF:-readelf} -W --version-info "$hook")" 'GLIBC_2\.(1[89]|[2-9][0-9])' \
	"A6 the hook needs no libc newer than 2.17"
hazard A7 "the program replaces dl_iterate_phdr" live::717=0 live::718=0 live::719=0 unknown=0 -- "$h/a7_iterate"

wrapper=$h/a8_wrapper.so
hazard A8 "the user's interposer" made:malloc:888=500 live::888=0 -- env LD_PRELOAD="$wrapper" "$h/a8_filled"
modes="mtk/64" environment="LD_PRELOAD=$wrapper"
hazard A8 "the user's interposer, preloaded into memtrack too" made:malloc:888=500 -- "$h/a8_filled"
environment="MEMTRACK_OUTPUT=/dev/null LD_PRELOAD=$hook:$wrapper"
hazard A8 "the hook preloaded before" made:malloc:888=500 -- "$h/a8_filled"
environment="MEMTRACK_OUTPUT=/dev/null LD_PRELOAD=$wrapper:$hook"
hazard A8 "the hook preloaded last" made:malloc:888=500 -- "$h/a8_filled"
plain

inner=$work/inner.mtk
nested() { "$h/ledger" "$inner" made:malloc:888=500 lost=0 complete=1; rm -f "$inner"; }
also=nested expect=complete=1
in_folder native "$h/a8_filled"
for hazard_mode in text/0 mtk/64; do
	format=${hazard_mode%/*} depth=${hazard_mode#*/} wants=$expect
	for options in "" -f; do
		hazard_name="A8 memtrack under memtrack${options:+ $options}"
		if asan_build; then
			skip "$hazard_name" "AddressSanitizer in memtrack does not bear the hook"
			continue
		fi
		hazard_once "$memtrack" -q --no-report -o "$inner" "$h/a8_filled"
	done
done
plain

# instrumented NAME FLAG: runs as if memtrack was not there, and says so.
instrumented()
{
	if ! ${MEMTRACK_CC:-cc} -O0 -fno-builtin "-fsanitize=$2" -o "$work/$2" \
		"$top_srcdir/tests/hazards/a9_instrumented.c" 2>/dev/null || ! "$work/$2" >/dev/null 2>&1; then
		skip "A9 $1" "this compiler makes no such programs that run here"
		return
	fi
	"$memtrack" --no-report -o "$trace" "$work/$2" >"$work/out" 2>"$work/err"
	is "$?:$(cat "$work/out")" "0:OK" "A9 $1 runs"
	like "$(cat "$work/err")" '^memtrack: not traced: it is instrumented' "A9 $1 is said not to be traced"
	is "$(grep -vc '^memtrack: ' "$work/err")" 0 "A9 $1 says nothing of its own"
}
instrumented AddressSanitizer address
instrumented LeakSanitizer leak
instrumented ThreadSanitizer thread

# The functions of the hook are no frames, but for what it was called by.
no_own_frames()
{
	[ "$format" = text ] || return 0
	grep -F 'memtrack.so(' "$trace"
}
also=no_own_frames
hazard A10 "nothing of the tool's own is counted" made:mmap:=3 live:mmap:413696=3 pages.live=3 in:call_alloc=0 \
	in:malloc=0 in:core_wake=0 -- "$h/a10_own"
plain
done_testing
