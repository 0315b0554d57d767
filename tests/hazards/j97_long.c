/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J97 TIMES: allocates and frees, always a few blocks at once. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *blocks[16] = { NULL };
	long times = argc > 1 ? atol(argv[1]) : 1000;

	for (long i = 0; i < times; i++) {
		free(blocks[i % 16]);
		blocks[i % 16] = malloc(97);
	}
	return 0;
}
