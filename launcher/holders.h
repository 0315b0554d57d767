/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a process map a segment? */
#ifndef LAUNCHER_HOLDERS_H
#define LAUNCHER_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The process maps one of these segments. */
bool holders_holds(pid_t pid, const uint64_t *inodes, size_t count);

#endif
