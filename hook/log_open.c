/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening the log. */
#include "hook/log_open.h"

#include <errno.h>
#include <fcntl.h>

#include "hook/log_notice.h"
#include "hook/memory.h"
#include "hook/raw.h"

static bool open_stderr(struct log_file *f)
{
	if (!log_file_know(f, 2))
		return false;
	log_file_raise(f, false);
	return true;
}

static bool open_port(struct log_file *f, const char *port)
{
	long fd = log_serve(port);

	if (fd < 0) {
		log_notice(fd == -EINVAL ? "MEMTRACK_PORT is" : "cannot listen on MEMTRACK_PORT", port,
			   fd == -EINVAL ? ", not [ADDR:]PORT; the log goes to stderr" :
			   fd == -EADDRINUSE ? ": Address already in use; the log goes to stderr" :
			   fd == -EACCES ? ": Permission denied; the log goes to stderr" :
			   fd == -EADDRNOTAVAIL ? ": no such address here; the log goes to stderr" :
			   "; the log goes to stderr");
		return open_stderr(f);
	}
	if (!log_file_know(f, fd))
		return false;
	log_file_raise(f, true);
	return true;
}

static bool open_output(struct log_file *f, const char *path)
{
	long fd;

	do {
		fd = raw_call(RAW_NR_openat, AT_FDCWD, path,
			      O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666, 0);
	} while (fd == -EINTR);
	if (fd < 0) {
		char after[80];

		hook_copy_string(after, ": ", sizeof after);
		hook_copy_string(after + 2, log_error(fd), sizeof after - 2);
		hook_copy_string(after + hook_strlen(after), "; nothing is recorded",
				 sizeof after - hook_strlen(after));
		log_notice("cannot open MEMTRACK_OUTPUT", path, after);
		return false;
	}
	if (!log_file_know(f, fd))
		return false;
	log_file_raise(f, true);
	return true;
}

bool log_open(struct log_file *f, const char *output, const char *port)
{
	if (port)
		return open_port(f, port);
	if (output)
		return open_output(f, output);
	return open_stderr(f);
}
