/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtrack into a running process, and out of it again: the steps of inject/ in their order.
 *
 *   attach_open      may we?  (nothing is changed)
 *   attach_enter     hook, stubs and segment; the plan of the patches
 *   attach_begin     all threads held: recording is on and the functions are patched
 *   ...
 *   attach_unpatch   all threads held: the original bytes are back; calls under way end as usual
 *   attach_idle      when what was recorded is read: the hook does nothing any more
 *
 * Every function that has a reason returns 0, or -errno with a line for people in it and the process as
 * it was. */
#ifndef LAUNCHER_ATTACH_H
#define LAUNCHER_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "launcher/launch.h"
#include "launcher/segment.h"

#define ATTACH_REASON	256

struct attachment;

/* Takes nothing but a look: another tracer, permissions, kind of process. */
int attach_open(struct attachment **attachment, const struct launch *launch, char reason[ATTACH_REASON]);

/* Brings in all that is needed; the segment is to be filled in before attach_begin. */
int attach_enter(struct attachment *attachment, struct segment *segment, char reason[ATTACH_REASON]);

/* Recording begins. */
int attach_begin(struct attachment *attachment, char reason[ATTACH_REASON]);

/* An object came that has an allocator's functions: they are patched, too.  *added: what was, in words, valid
 * until the next call; "": there was nothing.  After an error they are not traced. */
int attach_extend(struct attachment *attachment, const struct segment *segment, const char **added,
		  char reason[ATTACH_REASON]);

/* For people and the trace: "inject (dlopen), entry patch"; "malloc, free, ... in libc.so.6"; what
 * could not be patched and what is missed therefore, "" when nothing.  Valid after attach_begin. */
const char *attach_method(const struct attachment *attachment);
const char *attach_patched(const struct attachment *attachment);
const char *attach_missed(const struct attachment *attachment);

/* Where the segment is mapped in the process. */
uint64_t attach_segment(const struct attachment *attachment);

/* Ends the look at the process (not what was brought in). */
void attach_close(struct attachment *attachment);

/* Puts back the original bytes of whatever a memtrack patched in a process, this one or one that died.
 * Also 0 when there is nothing to put back.  stop_ms: how long the threads that did stop wait for those that
 * have not; 0: the default. */
int attach_unpatch(pid_t pid, int stop_ms, char reason[ATTACH_REASON]);

/* Whether a memtrack that was killed left something to put back.  Needs no stop.  Above 0: it did; 0, or -errno: it
 * cannot be seen. */
int attach_left(pid_t pid);

/* Fork children of an attached process: those that carry its patches get the original bytes, too.
 * stubs: as of struct attached. */
void attach_unpatch_children(uint64_t stubs);

/* The hook in it records nothing from now on.  0 or -errno. */
int attach_idle(pid_t pid);

/* Both, also in all fork children that inherited the patches, unless another memtrack traces it (-EALREADY).
 * The result is that of the process itself. */
int attach_restore(pid_t pid, char reason[ATTACH_REASON]);

#endif
