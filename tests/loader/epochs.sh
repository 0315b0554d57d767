# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: frames of unloaded libraries keep their names, and a library at the address of an unloaded
# one is not taken for it, whoever unloaded that and whether it has a build-id or not.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}
for id in sha1 none; do
	for name in a b; do
		# shellcheck disable=SC2086
		$cc -O1 -g -fPIC -fno-builtin -shared "-Wl,--build-id=$id" "-DNAME=leak_in_$name" \
			-o "$work/$name.$id.so" "$top_srcdir/tests/loader/leaf.c" || exit 1
	done
	for how in plain hidden; do
		behaves "$how, build-id $id" "$testbin/loader/epochs" "$how" "$work/a.$id.so" "$work/b.$id.so"
		like "$(cat "$work/out")" 'always$' "the libraries lie where the others were"
	done
done

"$memtrack" --no-report -o "$work/trace" -- "$testbin/loader/epochs" plain "$work/a.sha1.so" "$work/b.sha1.so" >/dev/null
report=$("$memview" --report "$work/trace")
like "$report" 'leak_in_a.*leaf.c:[789]' "the report has the line in the first library"
like "$report" 'leak_in_b.*leaf.c:[789]' "and in the second"
done_testing
