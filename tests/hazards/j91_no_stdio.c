/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J91: started without 0, 1 and 2, it opens files there, among them the one it prints into. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

int main(void)
{
	int first = open("first", O_RDWR | O_CREAT, 0600), out = open("out", O_RDWR | O_CREAT, 0600);
	int err = open("err", O_RDWR | O_CREAT, 0600);

	printf("%d %d %d\n", first, out, err);
	for (int i = 0; i < 10000; i++)
		free(malloc(9191));
	fprintf(stderr, "words\n");
	return hazard_done();
}
