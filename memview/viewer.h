/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memview as a whole: from the command line to the exit status. */
#ifndef MEMVIEW_VIEWER_H
#define MEMVIEW_VIEWER_H

#include <stdbool.h>

#define VIEWER_FAILED 2	/* exit status: bad usage, no trace, no terminal */
#define VIEWER_PART 1	/* the same: reported is what a damaged trace, or one without its end, holds */

struct heap;
struct input;

int viewer_main(int argc, char **argv);

/* "memview: ..." on stderr, safe for a terminal, with %m for errno.  Returns VIEWER_FAILED. */
int viewer_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether what was read to its end holds nothing of memtrack's. */
bool viewer_is_no_trace(const struct heap *heap);

/* Says that name, which input read, is no trace.  Returns VIEWER_FAILED. */
int viewer_fail_no_trace(const struct input *input, const struct heap *heap, const char *name);

#endif
