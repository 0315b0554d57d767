# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: git log, which spawns nothing when it writes to a file.
. "${top_srcdir:-.}/tests/real/real.sh"
need git

HOME=$work GIT_CONFIG_NOSYSTEM=1
export HOME GIT_CONFIG_NOSYSTEM
mkdir "$work/repository" && cd "$work/repository" || exit 1
git init -q .
git config user.name 'A U Thor'
git config user.email author@example.org
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	seq 1 $((i * 50)) >numbers
	seq $i 7 $((i * 30)) >"file$((i % 5))"
	git add . && git commit -qm "Change number $i"
done
traced_as_untraced git git log --stat -p
is "$(grep -c '^commit ' "$work/traced.out")" 20 "all commits are shown"
done_testing
