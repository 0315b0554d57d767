/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of memtrack is in a process, seen from outside: by names in its maps, so that nothing need be
 * remembered by anybody. */
#ifndef LAUNCHER_ATTACHED_H
#define LAUNCHER_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vector.h"

struct attached {
	bool preloaded;			/* it was started under memtrack, or with the hook preloaded */
	bool hook;			/* a hook was injected */
	uint64_t stubs;			/* inode of the memfd that stubs lie in; 0: there are none */
	bool inherited;			/* from the process that forked it, which was traced: it is not */
	pid_t launcher;			/* the memtrack that holds a segment of it, another than the caller
					 * if there are two; 0: none lives, or inherited; a memtrack is its own */
};

/* 0, or -errno (-ESRCH, -EACCES, -EPERM). */
int attached_find(pid_t pid, struct attached *attached);

/* All processes where those stubs are mapped and that no memtrack traces now: the attached one and its
 * fork children.  For the caller to release. */
VECTOR_STRUCT(attached_pids, pid_t);
void attached_find_stubs(uint64_t stubs, struct attached_pids *pids);

#endif
