/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server's errors in words. */
#include "launcher/viewers.h"

#include <errno.h>
#include <string.h>

#include "launcher/say.h"

int viewers_listen(const struct launch *launch, struct server **server)
{
	int rc = launch->port ? server_new(server, launch->port) : 0;

	if (rc == -EINVAL)
		say_error("--port takes [ADDR:]PORT, not '%s'", launch->port);
	else if (rc)
		say_error("cannot listen on '%s': %s", launch->port, strerror(-rc));
	return rc ? EXIT_FAILED : 0;
}

int viewers_serve(struct server *server, int trace, bool goes)
{
	int rc = server ? server_start(server, trace) : 0;

	if (rc) {
		say_error("cannot start a thread: %s", strerror(-rc));
		return EXIT_FAILED;
	}
	if (server)
		say("%s: memview %s", goes ? "serving" : "waiting for a viewer", server_address(server));
	return 0;
}
