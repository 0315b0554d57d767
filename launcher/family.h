/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A segment in use: held by the heartbeat, read by sessions, given up by the last of them. */
#ifndef LAUNCHER_FAMILY_H
#define LAUNCHER_FAMILY_H

#include "launcher/heartbeat.h"
#include "launcher/segment.h"
#include "launcher/session.h"

#define FAMILY_EXE	4096

struct family {
	struct heartbeat *heartbeat;
	struct segment segment;
	bool attached;			/* the process keeps the mapping when the session is over */
	_Atomic bool foreign;		/* some of it live in another pid namespace */
	char exe[FAMILY_EXE];		/* the image; set before its process gets the segment */
};

/* Makes a segment that fits into the address space of process pid (0: our own) and holds it.
 * The family ends through family_channel's release, or by family_free when no session got it.
 * 0 or -errno. */
int family_new(struct family **family, struct heartbeat *heartbeat,
	       const struct channel_settings *settings, bool follow, pid_t pid);
void family_free(struct family *family);

/* The same of a segment that is mapped in a running process (segment_adopt); *segment is the family's
 * then.  On error it is released. */
int family_adopt(struct family **family, struct heartbeat *heartbeat, const struct segment *segment);

/* Before a session or the target sees it: which clock to read (enum channel_clock). */
void family_set_clock(struct family *family, uint32_t clock);

/* What a session needs to know of it. */
struct session_channel family_channel(struct family *family);

/* Lets the targets start that wait for `go`. */
void family_go(struct family *family);

#endif
