/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L120: calls whose return addresses belong to the next line.  Built with -O1. */
#include <stdlib.h>

void *volatile first, *volatile second;

__attribute__((noinline)) static void calls(void)
{
	first = malloc(1201);			/* line 9 */
	second = malloc(1202);			/* line 10 */
	for (int i = 0;
	     i < 3; i++)			/* line 12 */
		free(malloc(120));		/* line 13 */
}

/* The call is the last there is: the return address is the next function's. */
__attribute__((noinline, noreturn)) static void last(void)
{
	first = malloc(1203);			/* line 19 */
	exit(!second);				/* line 20 */
}

int main(void)
{
	calls();
	last();
}
