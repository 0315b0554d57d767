/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The MEMTRACK_* variables that the hook reads when it runs alone. */
#ifndef HOOK_STANDALONE_SETTINGS_H
#define HOOK_STANDALONE_SETTINGS_H

#include <stdint.h>

struct standalone_settings {
	const char *output, *port;	/* NULL: not given */
	const char *stack_threads, *track_threads;
	uint64_t min_size, stack_depth, buffer_size;
};

/* From the rows of trace/settings.h; a value that cannot be is told on stderr and its default
 * taken.  Strings live in envp. */
void standalone_settings_read(struct standalone_settings *s, char *const *envp);

/* The value of NAME (without "=") in envp; NULL when there is none. */
const char *standalone_variable(char *const *envp, const char *name);

#endif
