/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All threads held, then a look who else is here. */
#include "launcher/attach_alone.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "inject/threads.h"
#include "launcher/attached.h"

static int look_for_others(pid_t pid, char reason[INJECTION_REASON])
{
	struct attached a;

	if (attached_find(pid, &a) || !a.launcher || a.launcher == getpid())
		return 0;
	snprintf(reason, INJECTION_REASON, "memtrack (process %d) traces it", (int)a.launcher);
	return -EALREADY;
}

struct alone {
	attach_work *work;
};

static int work_alone(struct injection *i, void *argument, char reason[INJECTION_REASON])
{
	const struct alone *a = argument;
	int rc = look_for_others(injection_pid(i), reason);

	return rc ? rc : a->work(i, reason);
}

int attach_alone(struct injection *i, attach_work *work, char reason[INJECTION_REASON])
{
	struct alone a = { work };

	return threads_with_all(i, work_alone, &a, reason);
}
