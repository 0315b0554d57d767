# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: real programs on other allocators say what they say without memtrack, and all their calls are
# counted.
. "${top_srcdir:-.}/tests/real/real.sh"
. "$top_srcdir/tests/allocators/allocators.sh"
alone=$counter

for allocator in jemalloc tcmalloc_minimal mimalloc bump freelist; do
	file=$(library $allocator)
	if [ ! -f "$file" ]; then
		skip "$allocator" "it is not installed"
		continue
	fi
	counter=$alone:$file
	if [ -x /usr/bin/python3 ]; then
		traced_as_untraced "$allocator, python3" /usr/bin/python3 -S -c \
			'import json; print(len(json.dumps({str(i): [i] * 9 for i in range(3000)})))'
	else
		skip "$allocator, python3" "it is not installed"
	fi
	if command -v sqlite3 >/dev/null; then
		traced_as_untraced "$allocator, sqlite3" sqlite3 :memory: \
			"create table t(a); insert into t values (1), (2); select sum(a) from t"
	else
		skip "$allocator, sqlite3" "it is not installed"
	fi
	if command -v git >/dev/null; then
		traced_as_untraced "$allocator, git" git --no-pager -c color.ui=never config --list --show-origin --file \
			/dev/null
	else
		skip "$allocator, git" "it is not installed"
	fi
done
done_testing
