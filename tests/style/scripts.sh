# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the shell scripts parse, and shellcheck finds no error in them.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 1
for script in bootstrap bench/run tests/*.sh tests/*/*.sh; do
	[ -f "$script" ] || continue
	ok "$script parses" sh -n "$script"
	if command -v shellcheck >/dev/null; then
		ok "$script has no error or warning" shellcheck -s sh -S warning \
			-e SC1090,SC1091,SC2034,SC2154,SC2153,SC2086,SC2188,SC2015,SC3043 "$script"
	fi
done
done_testing
