/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtrack: run a command and record every allocation it makes. */
#include <stdlib.h>

#include "launcher/options.h"
#include "launcher/run.h"
#include "launcher/start.h"

int main(int argc, char **argv)
{
	struct launch launch;
	int status;

	start_guard_descriptors();
	if (!options_read(argc, argv, &launch, &status))
		return status;
	status = run(&launch);
	free(launch.described);
	return status;
}
