/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The target's output into a file, its input from nowhere, its session without a terminal. */
#include "launcher/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/output.h"

void capture_look(struct capture *c, const struct terminal *terminal)
{
	for (int i = 0; i <= 2; i++)
		c->replaced[i] = terminal_is(terminal, i);
	c->path = NULL;
}

int capture_open(struct capture *c, const char *trace, bool fresh)
{
	int fd;

	if (!c->replaced[1] && !c->replaced[2])
		return 0;
	c->path = xasprintf("%s.out", trace);
	if (fresh)
		fd = output_new_file(&c->path);
	else
		fd = open(c->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return fresh ? fd : -errno;
	close(fd);
	return 0;
}

void capture_release(struct capture *c)
{
	free(c->path);
	c->path = NULL;
}

/* The child has a table of descriptors of its own, made before the file was. */
static int replace(const char *path, int flags, bool first, bool second, int at)
{
	int fd;

	if (!first && !second)
		return 0;
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return errno;
	if ((first && dup2(fd, at) < 0) || (second && dup2(fd, at + 1) < 0))
		return errno;
	return 0;
}

int capture_apply(const struct capture *c)
{
	int error;

	setsid();
	error = replace("/dev/null", O_RDONLY, c->replaced[0], false, 0);
	if (!error && c->path)
		error = replace(c->path, O_WRONLY | O_APPEND, c->replaced[1], c->replaced[2], 1);
	return error;
}
