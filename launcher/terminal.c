/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the terminal, telling it from others, restoring its modes. */
#include "launcher/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int terminal_open(struct terminal *t)
{
	t->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	for (int fd = 0; t->fd < 0 && fd <= 2; fd++)
		if (isatty(fd))
			t->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (t->fd >= 0 && tcgetattr(t->fd, &t->modes) == 0)
		return 0;
	terminal_close(t);
	return -ENOTTY;
}

void terminal_close(struct terminal *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* /dev/tty has a device number of its own, so the session tells; a terminal that controls nobody
 * was a standard descriptor itself. */
bool terminal_is(const struct terminal *t, int fd)
{
	struct stat ours, other;
	pid_t session;

	if (!isatty(fd))
		return false;
	session = tcgetsid(t->fd);
	if (session > 0)
		return tcgetsid(fd) == session;
	return fstat(t->fd, &ours) == 0 && fstat(fd, &other) == 0 && ours.st_rdev == other.st_rdev;
}

void terminal_restore(const struct terminal *t)
{
	tcsetattr(t->fd, TCSAFLUSH, &t->modes);
}
