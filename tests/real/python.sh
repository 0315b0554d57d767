# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: python3, small objects through malloc too.
. "${top_srcdir:-.}/tests/real/real.sh"
python=/usr/bin/python3
[ -x "$python" ] || skip_all "python3 is not installed"

cat >"$work/program.py" <<END
import json, re, sys
words = re.findall(r"[a-z]+", open(sys.argv[1]).read().lower())
counts = {}
for word in words:
    counts[word] = counts.get(word, 0) + 1
print(json.dumps(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:20]))
print(sum(len(str(i)) for i in range(20000)), file=sys.stderr)
sys.exit(3)
END
traced_as_untraced python3 "$python" "$work/program.py" "$top_srcdir/COPYING"
traced_as_untraced "python3, PYTHONMALLOC=malloc" \
	env PYTHONMALLOC=malloc "$python" "$work/program.py" "$top_srcdir/COPYING"
done_testing
