/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L115: a library and the one that takes its place differ in a name. */
#include <stdlib.h>

void *volatile kept;

__attribute__((noinline)) void NAME(void);
void NAME(void) { kept = malloc(1150); }
void leak(void);
void leak(void)
{
	NAME();
	kept = NULL;
}
