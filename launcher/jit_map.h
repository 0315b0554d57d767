/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of code that a process made at run time, from /tmp/perf-PID.map, the file that just-in-time
 * compilers write for profilers: lines "START SIZE NAME", growing. */
#ifndef LAUNCHER_JIT_MAP_H
#define LAUNCHER_JIT_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"

struct jit_map;

/* Of a process that lives (its /tmp is found through /proc).  Looks for nothing yet. */
struct jit_map *jit_map_new(pid_t pid);
void jit_map_free(struct jit_map *j);

/* Appends the name of the code at pc to out and tells how far behind its start pc is; reads what
 * was added to the file meanwhile.  From any thread. */
bool jit_map_name(struct jit_map *j, uint64_t pc, struct buffer *out, uint64_t *offset);

#endif
