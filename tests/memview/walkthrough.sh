# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the screens of README's walk-through are what memview shows after these keys, line by line, but for
# times, addresses, numbers of threads, libc's functions, and the picture of the time line.
#
#	<!-- keys: f \ -->	what is pressed first, names as of tests/memview/screen.sh
#	```text
#	(the screen)
#	```
#
# MEMTRACK_RENEW=1 make check TESTS=tests/memview/walkthrough.sh writes them anew.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
readme=$(cd "$top_srcdir" && pwd)/README.md
memtrack=$(cd "$(dirname "$memtrack")" && pwd)/memtrack
[ -x "$top_builddir/examples/leaky" ] || skip_all "the example is not built"
cp "$top_builddir/examples/leaky" "$work"
cd "$work" || exit 1
"$memtrack" --no-report -o leaky.mtk ./leaky >/dev/null
columns=110 rows=26

# The part of README that belongs to the Nth keys, without the fence.
told()
{
	awk -v n="$1" '/^<!-- keys:/ { seen++ } seen == n && /^```/ { if (inside++) exit; next } seen == n && inside' "$readme"
}

plain()
{
	sed -E -e 3d -e 's/ +/ /g' -e 's/0x[0-9a-f]+/P/g' -e 's/[0-9.]+ ?(ns|us|ms|s)([^a-z]|$)/T\2/g' \
		-e 's,[0-9.]+ [KMG]?i?B/s,R,g' -e 's/[0-9,]+ allocs/N allocs/' -e 's/ │ \+[0-9]+ [^│]*//' -e 's/─+/─/g' \
		-e 's/^(leaky|log-writer) .*/\1/' -e 's,^(.*Module  : ).*,\1,' -e 's/ +$//' | grep -vE 'libc|_start|pthread|clone|^$'
}

sed -n 's/^<!-- keys: \(.*\) -->$/\1/p' "$readme" >"$work/keys"
ok "README has screens" [ "$(wc -l <"$work/keys")" -ge 2 ]
n=0
while read -r keys; do
	n=$((n + 1))
	view_start $columns $rows leaky.mtk
	shows ' shown' "it opens"
	# shellcheck disable=SC2086	# names of keys
	press $keys
	ask lacks 20000 '│ .*[ :] \.\.\.'	# something is still counted
	ask rests 500
	screen >"screen.$n"
	[ "${MEMTRACK_RENEW:-}" ] || is "$(plain <"screen.$n")" "$(told $n | plain)" "after $keys"
	ok "fewer than ten keys: $keys" [ "$(echo "$keys" | wc -w)" -lt 10 ]
done <"$work/keys"
like "$(tr '\n' ' ' <screen.1)" 'page_render \(leaky\.c:[0-9]+\)' "the first of them names the leaking function and its line"

if [ "${MEMTRACK_RENEW:-}" ]; then
	awk -v folder="$work" '/^<!-- keys:/ { seen++; wanted = 1 }
		wanted && /^```/ { print; if (inside) { inside = wanted = 0 } else {
			inside = 1; file = folder "/screen." seen
			while ((getline line <file) > 0) { gsub(folder, "/home/ada", line); sub(/ +$/, "", line); print line } } next }
		!inside' "$readme" >"$work/README.md" && cat "$work/README.md" >"$readme"
fi
done_testing
