# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: sqlite3: 200,000 inserts.
. "${top_srcdir:-.}/tests/real/real.sh"
need sqlite3

awk 'BEGIN {
	print "create table t (a integer primary key, b text); create index i on t (b); begin;"
	for (i = 0; i < 200000; i++)
		print "insert into t values (" i ", \x27row number " i * 7919 % 200003 "\x27);"
	print "commit; select count(*), sum(length(b)), max(b) from t;"
}' >"$work/inserts.sql"
input=$work/inserts.sql
traced_as_untraced sqlite3 sqlite3 :memory:
is "$(cut -d'|' -f1 "$work/traced.out")" 200000 "all rows are there"
done_testing
