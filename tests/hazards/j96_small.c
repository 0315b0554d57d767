/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J96: a trace as small as can be: three blocks leak. */
#include <stdlib.h>

static void *volatile sink;

int main(void)
{
	for (int i = 0; i < 3; i++)
		sink = malloc(96);
	free(malloc(97));
	return 0;
}
