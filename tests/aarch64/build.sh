# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook builds for 64-bit ARM without a warning, and asks of a target what it asks everywhere.
. "${top_srcdir:-.}/tests/aarch64/cross.sh"

cross memtrack.so
like "$("${arm_tools}readelf" -hW "$out/memtrack.so")" 'Machine: *AArch64' "memtrack.so is for 64-bit ARM"
ok "its symbols" env top_builddir="$out" MEMTRACK_CC="$arm_cc" MEMTRACK_NM="${arm_tools}nm" \
	MEMTRACK_READELF="${arm_tools}readelf" sh "$top_srcdir/tests/style/hook_symbols.sh"
is "$("${arm_tools}objdump" -d "$out/memtrack.so" | grep -cE '\b(paciasp|bti|[bdqsv][0-9]+\.[0-9]|[dq][0-9]+, *\[)')" 0 \
	"no signed addresses, no vector registers"
is "$("${arm_tools}nm" "$out/memtrack.so" | grep -c __aarch64_)" 0 "no calls for atomic operations"

done_testing
