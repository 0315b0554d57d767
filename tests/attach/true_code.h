/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the code of a process is what its files say. */
#ifndef TESTS_ATTACH_TRUE_CODE_H
#define TESTS_ATTACH_TRUE_CODE_H

#include <sys/types.h>

#define TRUE_CODE_TEXT	384u

/* Pages of executable mappings of files that are not as in the file; memtrack's own are left out.  A mapping whose file
 * cannot be had counts as one.  first: what the first one is, if there is one. */
unsigned true_code(pid_t pid, char first[TRUE_CODE_TEXT]);

#endif
