/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One viewer, heard where everything else is waited for. */
#include "launcher/near.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/viewer.h"

void near_open(struct near *n, int socket)
{
	memset(n, 0, sizeof(*n));
	n->viewer.fd = n->fd = socket < 0 ? -1 : fcntl(socket, F_DUPFD_CLOEXEC, 3);
	if (n->fd < 0)
		return;
	if (hearing_init(&n->hearing))
		n->viewer.fd = -1;
	else
		hearing_admit(&n->viewer, n->fd);
}

void near_close(struct near *n)
{
	if (n->fd < 0)
		return;
	hearing_release(&n->hearing);
	close(n->fd);
	n->viewer.fd = n->fd = -1;
}

int near_fd(const struct near *n)
{
	return n->viewer.fd;
}

void near_read(struct near *n)
{
	hearing_read(&n->hearing, &n->viewer);
}

bool near_take(struct near *n, struct wire_command *command)
{
	return hearing_take(&n->hearing, command);
}

bool near_wanted(void)
{
	const char *given = getenv(VIEWER_COMMANDS);
	bool wanted = given && strcmp(given, "1") == 0;

	unsetenv(VIEWER_COMMANDS);
	return wanted;
}
