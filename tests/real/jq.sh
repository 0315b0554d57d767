# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: jq on a document of a megabyte.
. "${top_srcdir:-.}/tests/real/real.sh"
need jq

awk 'BEGIN {
	print "["
	for (i = 0; i < 10000; i++)
		print "{\"id\":" i ",\"name\":\"item " i "\",\"tags\":[\"a\",\"b" i % 10 "\"]},"
	print "{}]"
}' >"$work/document.json"
traced_as_untraced jq jq -c 'group_by(.tags) | map({tags: .[0].tags, n: length, first: .[0].name})' \
	"$work/document.json"
done_testing
