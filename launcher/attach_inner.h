/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What attach.c and attach_segment.c share. */
#ifndef LAUNCHER_ATTACH_INNER_H
#define LAUNCHER_ATTACH_INNER_H

#include <stdio.h>
#include <string.h>

#include "launcher/attach.h"
#include "launcher/attach_image.h"
#include "launcher/attach_patches.h"
#include "launcher/attach_request.h"

_Static_assert(ATTACH_REASON == INJECTION_REASON, "one line is one line");

struct attachment {
	const struct launch *launch;
	struct injection *injection;
	struct delivered delivered;
	struct attach_image image;
	struct attach_patches patches;
	struct attach_request request;
	uint64_t earlier;		/* where an earlier session's segment is mapped; 0: there was none */
	char method[80];
};

/* "WHAT: why" in reason; returns rc. */
static inline int attach_fail(char reason[ATTACH_REASON], const char *what, int rc)
{
	snprintf(reason, ATTACH_REASON, "%s: %s", what, strerror(-rc));
	return rc;
}

/* Stubs and segment, with the help of one thread.  *segment is filled in. */
int attach_bring_in(struct attachment *attachment, struct segment *segment, char reason[ATTACH_REASON]);

/* Original bytes for whatever is patched or left in its code, unless that is another memtrack's that lives
 * (-EALREADY). */
int attach_clear(struct injection *injection, char reason[ATTACH_REASON]);

/* Moves the new segment over that of an earlier session while no thread has anything of the hook's at
 * hand. */
int attach_move_segment(struct attachment *attachment, char reason[ATTACH_REASON]);

#endif
