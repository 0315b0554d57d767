/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtrack: record every allocation of a command, or of a process that runs already. */
#include <stdlib.h>

#include "base/alloc.h"
#include "launcher/front.h"
#include "launcher/launch.h"
#include "launcher/near.h"
#include "launcher/options.h"
#include "launcher/run.h"
#include "launcher/run_attach.h"
#include "launcher/start.h"
#include "launcher/verbs.h"

static int act(const struct launch *launch)
{
	switch (launch->verb) {
	case VERB_ATTACH:
		return run_attach(launch);
	case VERB_DETACH:
		return verb_detach(launch->pid);
	case VERB_STATUS:
		return verb_status(launch->pid);
	case VERB_ORDER:
		return verb_order(launch->pid, &launch->order);
	default:
		return launch->view ? front(launch) : run(launch);
	}
}

int main(int argc, char **argv)
{
	struct launch launch;
	int status;

	alloc_exit_status(EXIT_FAILED);
	start_guard_descriptors();
	if (!options_read(argc, argv, &launch, &status))
		return status;
	launch.heard = near_wanted() && launch.verb == VERB_ATTACH;
	status = act(&launch);
	free(launch.described);
	return status;
}
