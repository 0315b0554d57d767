/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be seen of a process from outside, and whether it is as it was before somebody attached. */
#ifndef TESTS_ATTACH_LOOK_H
#define TESTS_ATTACH_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Lines of text about a process, malloc'ed; the caller frees them with look_free. */
struct look {
	char *maps;		/* of /proc/PID/maps, without what memtrack put there */
	char *fds;		/* what its descriptors are, sorted as the kernel does */
	char *signals;		/* the lines of /proc/PID/status about blocked, ignored and caught ones */
};

struct look look_at(pid_t pid);
void look_free(struct look *);

/* Whether NOW differs from BEFORE: prints each difference to stderr and returns true.  A process that
 * works also maps and unmaps memory of its own: unless still, only mappings of files and whatever is
 * executable are compared. */
bool look_differs(const struct look *before, const struct look *now, bool still);

/* Whether executable bytes of a file mapping are not those of the file, or cannot be compared; says which. */
bool look_code_differs(pid_t pid);

/* Whether a thread is traced or stopped by a tracer ('t'), or by a signal ('T') unless stopped says
 * that it has to be; says which. */
bool look_held(pid_t pid, bool stopped);

#endif
