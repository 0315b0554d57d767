/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children that are not traced: counted and named for the report.  With -f: whoever executes
 * something, for the launcher to see who of them is not heard of again. */
#ifndef HOOK_CHILDREN_H
#define HOOK_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/channel.h"

/* path is what the child executes; NULL when it only forked so far. A pid is counted once; 0 is
 * one that nobody knows. */
void children_note(uint32_t pid, const char *path);

/* With -f: pid executes path, with an environment that carries the session or does not; it did
 * not before stamp. */
void children_tell(enum channel_note_kind kind, uint32_t pid, const char *path, bool carries,
		   uint64_t stamp);

/* A fork child that is not recorded, by the settings or for want of a region. */
void children_untraced(uint32_t pid);

#endif
