# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what memtrack.so asks of a target and what it puts in front of it.
. "${top_srcdir:-.}/tests/tap.sh"
[ -f "$hook" ] || skip_all "memtrack.so is not built"
nm=${MEMTRACK_NM:-nm} readelf=${MEMTRACK_READELF:-readelf}

# rows MACRO HEADER PARAMETERS: the symbols of an X-macro list.
rows()
{
	printf '#include "%s"\n#define X(%s) SYMBOL symbol\n%s(X)\n' "$2" "$3" "$1" >"$work/rows.c"
	# shellcheck disable=SC2086
	${MEMTRACK_CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir" -E -P "$work/rows.c" |
		grep -o 'SYMBOL [A-Za-z0-9_]*' | sed 's/SYMBOL //'
}

rows TRACE_FUNCTIONS trace/functions.h 'id, symbol, label, kind, family' >"$work/want"
ok "the table of functions has rows" [ "$(wc -l <"$work/want")" -gt 40 ]
rows HOOK_OTHERS hook/other.h 'symbol' >>"$work/want"
echo __gmon_start__ >>"$work/want"	# objects call it as they start: hook/got.h
# trace/attach.h; only on x86-64 can a running process be entered.
data="memtrack_injected memtrack_state"
"$readelf" -hW "$hook" | grep -q X86-64 && data="memtrack_entries $data"
for name in memtrack_attach $data; do
	echo "$name"
done >>"$work/want"
sort -u "$work/want" -o "$work/want"
"$nm" -D --defined-only "$hook" | awk '{ print $3 }' | sort -u >"$work/got"
is "$(diff "$work/want" "$work/got")" "" "exports exactly the functions of the tables"
is "$("$nm" -D --defined-only "$hook" | awk '$2 != "T" && $2 != "W" { print $3 }' | sort | paste -sd' ' -)" \
	"$data" "all but these are functions"
is "$("$nm" -D "$hook" | grep @ || :)" "" "no symbol has a version, defined or wanted"

allowed='_r_debug|_dl_debug_addr|_dl_find_object|__libc_stack_end|environ|pthread_key_create|pthread_self|pthread_setspecific'
is "$("$nm" -D --undefined-only "$hook" | awk '{ print $NF }' | grep -vxE "$allowed")" "" \
	"wants nothing but $allowed"
is "$("$nm" -D --undefined-only "$hook" | awk '$1 != "w" { print }')" "" "and those weakly"
is "$("$nm" "$hook" | grep -c __tls_get_addr)" 0 "no dynamic TLS"

dynamic=$("$readelf" -dW "$hook")
unlike "$dynamic" '\(NEEDED\)' "needs no library"
like "$dynamic" 'NODELETE' "is never unloaded (NODELETE)"
like "$dynamic" 'INITFIRST' "initialises first (INITFIRST)"
like "$dynamic" '(BIND_NOW|FLAGS_1.*NOW)' "binds at load time (NOW)"
like "$dynamic" 'FINI_ARRAYSZ\) +8 ' "has one destructor, which writes the log when it runs alone"
unlike "$dynamic" '\(FINI\)' "and no other"
unlike "$dynamic" 'TEXTREL' "has no text relocations"
unlike "$("$readelf" -lW "$hook" | grep GNU_STACK)" 'RWE' "wants no executable stack"
tls=$("$readelf" -lW "$hook" | awk '$1 == "TLS" { print $6 }')
ok "uses 16 bytes of TLS at most (${tls:-0})" [ $((${tls:-0})) -le 16 ]
unlike "$("$nm" "$hook")" '(__asan|__ubsan|__tsan|__gcov|__stack_chk_fail|_chk$)' \
	"no sanitizer, coverage, stack protector or fortify in it"

# The form that is mapped from outside.
mapped=$(dirname "$hook")/memtrack-map.so
if [ -f "$mapped" ]; then
	is "$("$nm" -D --defined-only "$mapped" | awk '{ print $3 }' | sort | paste -sd' ' -)" \
		"memtrack_attach memtrack_entries memtrack_state" "memtrack-map.so exports nothing else"
	is "$("$nm" -D --undefined-only "$mapped" | awk '{ print $NF }' |
		grep -vxE '_r_debug|_dl_debug_addr|_dl_find_object|__libc_stack_end')" "" "wants nothing but these"
	is "$("$nm" -D --undefined-only "$mapped" | awk '$1 != "w" { print }')" "" "and those weakly"
	is "$("$readelf" -lW "$mapped" | grep -w TLS)" "" "uses no TLS"
	is "$("$readelf" -rW "$mapped" | awk '/R_/ { print $3 }' | sort -u | paste -sd' ' -)" \
		"R_X86_64_GLOB_DAT R_X86_64_RELATIVE" "has relocations of two kinds only"
else
	skip "memtrack-map.so" "it is not built"
fi
done_testing
