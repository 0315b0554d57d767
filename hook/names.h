/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread-name filters. */
#ifndef HOOK_NAMES_H
#define HOOK_NAMES_H

#include <stdbool.h>

/* Does name contain one of the comma-separated substrings?  An empty list matches all. */
bool names_match(const char *list, const char *name);

#endif
