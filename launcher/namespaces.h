/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that know themselves by other numbers than we do. */
#ifndef LAUNCHER_NAMESPACES_H
#define LAUNCHER_NAMESPACES_H

#include <stdint.h>
#include <sys/types.h>

/* How many pid namespaces deep the process is, seen from here (1: it is in ours); 0 when that
 * cannot be read.  *inner, unless NULL, is its pid in the innermost. */
unsigned namespace_depth(pid_t pid, pid_t *inner);

/* The process that maps the segment with this inode and knows itself as `inner` in a namespace
 * below ours, by our number; 0: none (any more).  Reads all of /proc. */
pid_t namespace_find(pid_t inner, uint64_t inode);

#endif
