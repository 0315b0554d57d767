/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that map a segment: fork children that have not allocated yet are known by nothing
 * else. */
#ifndef LAUNCHER_HOLDERS_H
#define LAUNCHER_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The process maps one of these segments. */
bool holders_holds(pid_t pid, const uint64_t *inodes, size_t count);

/* Some process other than memtrack maps one of these segments.  Reads all of /proc. */
bool holders_exist(const uint64_t *inodes, size_t count);

#endif
