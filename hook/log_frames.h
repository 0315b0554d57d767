/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frame lines of the log.
 *
 * A frame is named when its stack is captured, by the thread that captured it: then the objects of
 * all its frames are loaded for certain.  Once for each node of the depot, and the look-up itself
 * once for each address; afterwards only text is copied.  Lock-free; a handler may come in between. */
#ifndef HOOK_LOG_FRAMES_H
#define HOOK_LOG_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_DEPTH_MAX	256u

/* Memory for the depot of the region; after hook.region is there. */
bool log_frames_init(void);

/* Names what is new on the stack. */
void log_frames_note(uint32_t stack);

/* Bytes of all its frame lines. */
size_t log_frames_bytes(uint32_t stack);

/* The nodes of a stack, innermost first; returns how many. */
unsigned log_frames_nodes(uint32_t stack, uint32_t nodes[LOG_DEPTH_MAX]);

/* "BINARY(SYMBOL+0xN) [0xPC]\n" of a node. */
const char *log_frames_text(uint32_t node, size_t *length);

#endif
