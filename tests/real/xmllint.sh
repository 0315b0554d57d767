# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: xmllint on a document of a megabyte.
. "${top_srcdir:-.}/tests/real/real.sh"
need xmllint

awk 'BEGIN {
	print "<?xml version=\"1.0\"?>\n<list>"
	for (i = 0; i < 8000; i++)
		print "<item id=\"n" i "\"><name>item " i "</name><text a=\"b\">" i * i "<!-- " i " --></text></item>"
	print "</list>"
}' >"$work/document.xml"
traced_as_untraced xmllint xmllint --format --xpath 'count(//item[text > 1000])' "$work/document.xml"
traced_as_untraced "xmllint, a broken document" xmllint "$top_srcdir/NEWS"
done_testing
