/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C harness counts what it reports. */
#include "tests/tap.h"

int main(void)
{
	ok(1, "a true condition passes");
	is_int(2 + 2, 4, "integers compare");
	is_string("a", "a", "strings compare");
	ok(tap_count == 3 && tap_failed == 0, "three assertions so far, none failed");
	return done_testing();
}
