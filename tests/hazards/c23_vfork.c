/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C23: children of vfork allocate in the parent's memory. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

int main(void)
{
	for (int i = 0; i < 50; i++) {
		pid_t pid = vfork();
		int status = -1;

		if (pid == 0) {
			sink = malloc(2323);
			free(malloc(2324));
			_exit(i & 1 ? 0 : 7);
		}
		waitpid(pid, &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (i & 1 ? 0 : 7));
		free(malloc(2325));
	}
	return hazard_done();
}
