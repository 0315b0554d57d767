# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what doc/PERFORMANCE.md shows is what its results file says.
. "${top_srcdir:-.}/tests/tap.sh"

cp -r "$top_srcdir/doc" "$work/doc"
ok "the page and the plot are those of the results" "$top_srcdir/bench/document" -c "$work/doc/performance.tsv" "$work/doc"
is "$(awk -F '\t' '$1 == "made" && $4 != $5' "$work/doc/performance.tsv")" "" "every event that was made was recorded"
is "$(awk -F '\t' '$1 == "made" && $6' "$work/doc/performance.tsv")" "" "none was lost"
for set in main threads frames limit start; do
	ok "it has $set" grep -q "^time	$set	" "$work/doc/performance.tsv"
done

# A results file that was cut short is refused.
head -n 20 "$work/doc/performance.tsv" >"$work/cut"
"$top_srcdir/bench/document" -c "$work/cut" "$work/doc" >/dev/null 2>&1
ok "a cut one is refused" [ $? -ne 0 ]

# Another figure changes the page, and what is written by hand stays.
awk -F '\t' -v OFS='\t' '$1 == "made" { $4 = 424242 } { print }' "$work/doc/performance.tsv" >"$work/other"
ok "other results are put in" "$top_srcdir/bench/document" "$work/other" "$work/doc"
like "$(cat "$work/doc/PERFORMANCE.md")" '424242' "the page shows them"
is "$(sed '/^<!-- bench/,/^<!-- end/d' "$work/doc/PERFORMANCE.md")" \
	"$(sed '/^<!-- bench/,/^<!-- end/d' "$top_srcdir/doc/PERFORMANCE.md")" "the text around is as it was"
done_testing
