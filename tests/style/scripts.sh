# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the shell scripts parse, and shellcheck finds no error.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 1
for script in bootstrap bench/run bench/*.sh bench/profile bench/plot bench/table bench/document tests/*.sh tests/*/*.sh; do
	[ -f "$script" ] || continue
	ok "$script parses" sh -n "$script"
	if command -v shellcheck >/dev/null; then
		ok "$script has no error" shellcheck -s sh -S error "$script"
	fi
done
done_testing
