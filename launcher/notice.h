/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a program is not traced, in words. */
#ifndef LAUNCHER_NOTICE_H
#define LAUNCHER_NOTICE_H

#include <stdbool.h>
#include <sys/types.h>

#include "symbols/target.h"

/* What preloading the hook would do to a program. */
enum notice_verdict {
	NOTICE_FINE,		/* the hook will be loaded */
	NOTICE_IGNORED,		/* the hook is not loaded, and does no harm: children may load it */
	NOTICE_HARMFUL,		/* the program would fail, or complain on stderr */
};

/* Judges the file that is about to be executed.  *reason: why not, for the caller to free; NULL
 * when it is fine. */
enum notice_verdict notice_before(const struct target_facts *facts, char **reason);

/* The process runs, or ran, and its hook was never heard of.  For the caller to free. */
char *notice_silent(const struct target_facts *facts, bool facts_known);

#endif
