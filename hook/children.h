/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children that are not traced: counted and named for the report. */
#ifndef HOOK_CHILDREN_H
#define HOOK_CHILDREN_H

#include <stdint.h>

/* path is what the child executes; NULL when it only forked so far. A pid is counted once. */
void children_note(uint32_t pid, const char *path);

#endif
