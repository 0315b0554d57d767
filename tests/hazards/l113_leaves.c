/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L113, L117, L118, L119: a leak from a function that others can see, and one from a hidden one. */
#include <stdlib.h>
#include <unistd.h>

void *volatile kept[2];

void parent_leak(size_t n);
__attribute__((noinline)) void parent_leak(size_t n)
{
	kept[0] = malloc(n);		/* line 11 */
}

static __attribute__((noinline, used)) void hidden_leak(size_t n)
{
	kept[1] = malloc(n);		/* line 16 */
}

/* With an argument it executes itself anew first. */
int main(int argc, char **argv)
{
	if (argc > 1)
		execl(argv[0], argv[0], (char *)NULL);
	parent_leak(1131);
	hidden_leak(1132);
	return 0;
}
