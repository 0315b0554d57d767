/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A region of the family's segment for a fork child. */
#ifndef HOOK_REGIONS_H
#define HOOK_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Takes one that nobody has, waiting while the launcher gives back those of processes that are
 * gone.  False: none came for two seconds, or there is no launcher to give any. */
bool regions_take(uint32_t *region);

#endif
