/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that a program locks.  The hook's reserves are large and hardly touched: locked in, all of
 * them would be there at once, and count against the program's limit. */
#ifndef HOOK_LOCKED_H
#define HOOK_LOCKED_H

#include <stdbool.h>

/* mlockall with MCL_CURRENT among the flags, for all mappings but the hook's; what the flags say of
 * future ones is the caller's to do before.  False: nothing was done, as the mappings cannot be read, or are
 * more than the process may lock; mlockall itself will say so. */
bool locked_current(int flags);

#endif
