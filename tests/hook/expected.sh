# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: sourced by tests of programs that say what they did.
#
# expected NAME: every "expect OP-SIZE COUNT" line of the program's output ($work/out) holds among
# the events, of which $work/done has an OP and a SIZE on each line.
expected()
{
	sed -n 's/^expect //p' "$work/out" | while read -r key want; do
		got=$(awk -v op="${key%-*}" -v size="${key##*-}" \
			'$1 == op && $2 == size { n++ } END { print n + 0 }' "$work/done")
		[ "$got" = "$want" ] || echo "$key: want $want, got $got"
	done >"$work/wrong"
	is "$(cat "$work/wrong")" "" "$1"
}
