/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of the text log, made the same way by the launcher and inside the target.
 *
 * Everything is written to `to`, which has room as stated, and the number of bytes is returned;
 * nothing is terminated. */
#ifndef TRACE_TEXT_WRITE_H
#define TRACE_TEXT_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/functions.h"

#define TEXT_NAME_MAX		63u	/* a longer thread name is cut */
#define TEXT_PREFIX_MAX		128u
#define TEXT_EVENT_MAX		192u	/* what follows the prefix, newline included */
#define TEXT_FRAME_HEAD_MAX	40u	/* what precedes a frame's place */

/* Lines that are no event's, and foreign to readers that do not know them: blocks that the process had before
 * are in no event, those that it has at the end are not leaked. */
#define TEXT_ATTACHED		"# memtrack attached: the process ran before"
#define TEXT_DETACHED		"# memtrack detached: the process goes on"
#define TEXT_MARKER		"# memtrack marker ts="	/* the microseconds, a blank, the name */
#define TEXT_PAUSED		"# memtrack paused ts="	/* the microseconds; of allocations nothing follows ... */
#define TEXT_RESUMED		"# memtrack resumed ts="	/* ... up to here */
#define TEXT_UNRECORDED		" unrecorded="		/* behind these: calls,bytes left out so far */
#define TEXT_COMMANDS		"# memtrack commands "	/* the fact commands */
#define TEXT_ANSWER		"# memtrack answer "	/* the fact answer */

/* A number, then blanks up to width columns; at most 20 or width bytes. */
size_t text_decimal(char *to, uint64_t value, unsigned width);

/* Lower-case hexadecimal digits, no prefix; at most 16 bytes. */
size_t text_hex(char *to, uint64_t value);

/* length bytes with control characters as '?', so that a name or path never breaks a line. */
size_t text_clean(char *to, const char *from, size_t length);

/* "[memtrack] tid=T      (NAME           ) ": made once per name. */
size_t text_prefix(char *to, uint32_t tid, const char *name, size_t length);

/* The rest of an event's line; 0 for events that the log does not show.  total: the thread's
 * bytes with this event. */
size_t text_event(char *to, unsigned op, uint64_t ptr, uint64_t size, uint64_t microseconds,
		  uint64_t total);

/* "[memtrack]   #N  ", to be followed by BINARY(SYMBOL+0xN) [0xPC] and a newline. */
size_t text_frame_head(char *to, unsigned depth);

#endif
