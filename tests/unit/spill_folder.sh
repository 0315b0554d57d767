#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memory that is to go to a folder where the user may not write stays in memory, and nothing is lost.
. "${top_srcdir:-.}/tests/tap.sh"

mkdir "$work/closed"
chmod 555 "$work/closed"
as=
if [ "$(id -u)" = 0 ]; then
	# Nothing is closed to root.
	as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 711 "$work"
	$as true 2>/dev/null || skip_all 'cannot run as another user'
fi
cp "$testbin/unit/spill_test" "$work/spill_test"
chmod 755 "$work/spill_test"
$as "$work/spill_test" "$work/closed" 'a closed folder'
