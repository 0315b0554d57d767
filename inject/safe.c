/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Safe points. */
#include "inject/safe.h"

#include <errno.h>
#include <stdio.h>

int safe_thread(struct injection *i, int deadline_ms, struct thread **t, char reason[INJECTION_REASON])
{
	(void)deadline_ms;
	(void)i;
	*t = NULL;
	snprintf(reason, INJECTION_REASON, "safe points are not looked for yet");
	return -EAGAIN;
}
