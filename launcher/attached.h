/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of memtrack is in a process, seen from outside: by names in its maps, so that nothing need be
 * remembered by anybody. */
#ifndef LAUNCHER_ATTACHED_H
#define LAUNCHER_ATTACHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ATTACHED_STUBS	"memtrack-stubs"	/* name of the memfd that stubs lie in */

struct attached {
	bool preloaded;			/* it was started under memtrack, or with the hook preloaded */
	bool hook;			/* a hook was injected */
	bool mapped_form;		/* the one without the dynamic linker */
	bool stubs;
	uint64_t segment;		/* where the newest one is mapped, 0: none */
	uint64_t segment_bytes;
	pid_t launcher;			/* the memtrack that holds the segment; 0: none lives */
};

/* 0, or -errno (-ESRCH, -EACCES, -EPERM). */
int attached_find(pid_t pid, struct attached *attached);

#endif
