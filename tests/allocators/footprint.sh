# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the commands of doc/FOOTPRINT.md work, and the figures of the footprint are right.
. "${top_srcdir:-.}/tests/tap.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
[ -x "$memview" ] || skip_all "memview is not built"
page=$top_srcdir/doc/FOOTPRINT.md
mkdir "$work/bin" "$work/here"
ln -s "$memtrack" "$memview" "$work/bin/"
ln -s "$top_builddir/examples" "$work/here/examples"
PATH=$work/bin:$PATH
cd "$work/here" || exit 1

sed -n 's/^    \$ //p' "$page" >"$work/commands"
is "$(wc -l <"$work/commands" | tr -d ' ')" 6 "there are commands"
while read -r command; do
	ok "$command" sh -c "$command" </dev/null
done <"$work/commands"
for file in $(grep -oE '\]\([^)]*\)' "$page" | sed 's/](//; s/)//'); do
	ok "$file is there" [ -e "$top_srcdir/doc/$file" ]
done

# number FILE COLUMN: the table's row of the peak, as bytes: the last one may be of a program that is half gone.
number()
{
	memview --report "$1" | awk -v column="$2" '
		BEGIN { unit["B"] = 1; unit["KiB"] = 1024; unit["MiB"] = 1048576 }
		/^Footprint/ { on = 1 }
		on && /^ +peak .*%$/ { last = $(2 * column) * unit[$(2 * column + 1)] }
		END { printf "%d", last }'
}
if memview --report glibc.mtk | grep -q 'No fragmentation'; then
	skip "figures" "resident pages cannot be read here"
	done_testing
fi
for name in glibc bump freelist; do
	ok "$name: no more is resident than taken" [ "$(number $name.mtk 3)" -le "$(number $name.mtk 2)" ]
	ok "$name: no more is empty than resident" [ "$(number $name.mtk 4)" -le "$(number $name.mtk 3)" ]
	ok "$name: something is resident" [ "$(number $name.mtk 3)" -gt 65536 ]
done
ok "bump needs several times what the list does" \
	[ "$(number bump.mtk 3)" -gt $((4 * $(number freelist.mtk 3))) ]
like "$(memview --report bump.mtk)" 'asked the system 1,216 times .* 76\.0 MiB in all' "what bump takes is exact"
like "$(memview --report freelist.mtk)" '6\.5 MiB at the most, 6\.[0-9] MiB given back' "the list gives it back"

# Whether anything else is left depends on what was live when the largest sample was taken.
unlike "$(memview --report glibc.mtk)" '[MG]iB +main thread' "the hook's own reserve is no stack of the program"

# Without samples of pages there is a table of the RSS; without any there are the allocator's own calls.
LD_PRELOAD=$PWD/examples/bump.so memtrack --no-report --rss-interval 0 -o none.mtk examples/churn 3 >"$work/out"
like "$(memview --report none.mtk)" 'asked the system [0-9,]+ times' "without samples: the allocator's own calls"
unlike "$(memview --report none.mtk)" 'fragmented' "... and no table"
done_testing
