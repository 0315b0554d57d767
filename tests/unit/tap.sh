# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the shell harness reports failures as failures, and skips.
. "${top_srcdir:-.}/tests/tap.sh"

cat >"$work/failing.sh" <<END
. "$top_srcdir/tests/tap.sh"
ok "passes" true
ok "fails" false
is a b "differs"
skip "not here" "no reason"
done_testing
END

out=$(sh "$work/failing.sh")
is $? 1 "a failing test exits 1"
like "$out" '^ok 1 - passes$' "a success is ok"
like "$out" '^not ok 2 - fails$' "a failed command is not ok"
like "$out" '^not ok 3 - differs$' "different strings are not ok"
like "$out" '^ok 4 - not here # SKIP no reason$' "a skip says why"
like "$out" '^1\.\.4$' "the plan counts all of them"
is "$(sh -c '. "$0"; skip_all because' "$top_srcdir/tests/tap.sh")" "1..0 # SKIP because" \
	"skip_all plans nothing"
done_testing
