# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: git clones a local repository and collects its garbage, all its processes traced.
. "${top_srcdir:-.}/tests/real/real.sh"
need git

HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
export HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_DATE GIT_COMMITTER_DATE
git config --global user.name 'A U Thor'
git config --global user.email author@example.org
git config --global pack.threads 2
git config --global gc.autoDetach false
git config --global init.defaultBranch main
git init -q "$work/origin" && cd "$work/origin" || exit 1
for i in 1 2 3 4 5 6 7 8; do
	seq 1 $((i * 200)) >numbers
	seq $i 7 $((i * 300)) >"file$i"
	git add . && git commit -qm "Change number $i"
done
cd "$work" || exit 1

options='--no-report --follow'
# clone_and_collect WHERE
clone_and_collect()
{
	"$run" git clone --no-local "$work/origin" "$work/$1"
	mv "$work/$2.status" "$work/$2.clone"
	cd "$work/$1" || exit 1
	seq 5 9999 >numbers && git commit -qam 'One more' && git reset -q --hard HEAD~1
	git reflog expire --expire=now --all
	[ "$2" = plain ] || check_family "git clone" 3
	"$run" git gc --prune=now --aggressive
	[ "$2" = plain ] || check_family "git gc" 5
	git fsck --full >"$work/$2.fsck" 2>&1
	git count-objects -v | grep -v size >>"$work/$2.fsck"
	cd "$work" || exit 1
}

run=run_plain
clone_and_collect a plain
run=run_traced
clone_and_collect b traced
is "$(cat "$work/traced.clone")" "$(cat "$work/plain.clone")" "git clone: the same exit status"
same_runs "git gc"
ok "git gc: the same objects are left, and no damage" cmp "$work/plain.fsck" "$work/traced.fsck"
is "$(git -C b rev-parse HEAD)" "$(git -C origin rev-parse HEAD)" "the clone is at the same commit"
done_testing
