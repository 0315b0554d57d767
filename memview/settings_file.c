/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and reads the config file. */
#include "memview/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

#define FILE_MAX 65536

/* As the XDG base directories have it: a relative path counts as none.  NULL: nowhere. */
static char *settings_path(void)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (folder && folder[0] == '/')
		return xasprintf("%s/memview/config", folder);
	return home && home[0] == '/' ? xasprintf("%s/.config/memview/config", home) : NULL;
}

static void problem(struct settings *settings, const char *path, const char *why)
{
	text_sanitise(&settings->problems, path, strlen(path));
	buffer_printf(&settings->problems, ": %s\n", why);
	settings->problem_count++;
}

/* At most FILE_MAX bytes; -1 with errno, or 0 and *why when it is nothing to read. */
static ssize_t read_file(const char *path, char *bytes, const char **why)
{
	/* Nobody waits for the other end of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat about;
	size_t have = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
		*why = "this is no file: left out";
	else if (about.st_size > FILE_MAX)
		*why = "it has more than 64 KiB: left out";
	while (!*why && have < FILE_MAX && (n = read(fd, bytes + have, FILE_MAX - have)) > 0)
		have += (size_t)n;
	if (n < 0)
		*why = strerror(errno);
	close(fd);
	return (ssize_t)have;
}

void settings_read(struct settings *settings)
{
	char *path = settings_path(), *bytes;
	const char *why = NULL;
	ssize_t length;

	memset(settings, 0, sizeof(*settings));
	settings->terminal.mouse = true;
	if (!path)
		return;
	bytes = xmalloc(FILE_MAX);
	length = read_file(path, bytes, &why);
	if (length < 0 && errno != ENOENT && errno != ENOTDIR)
		why = strerror(errno);
	if (why)
		problem(settings, path, why);
	else if (length > 0)
		settings_parse(settings, path, bytes, (size_t)length);
	free(bytes);
	free(path);
}

void settings_release(struct settings *settings)
{
	buffer_release(&settings->problems);
}
