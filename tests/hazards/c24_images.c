/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C24: executes itself over and over; a pointer of the last image means nothing in the next. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void *volatile sink;

int main(int argc, char **argv)
{
	static char *const bare[] = { NULL };
	char stage[2] = "2";

	for (int i = 0; i < 10; i++)
		sink = malloc(2400 + argc);
	for (int i = 0; i < 10; i++)
		free(malloc(2410 + argc));
	if (argc < 4 && (argc < 2 || strcmp(argv[1], "bare"))) {
		char *next[] = { argv[0], stage, argc > 1 ? stage : NULL, argc > 2 ? stage : NULL, NULL };

		CHECK(execv("/no/such/program", next) < 0);
		execv(argv[0], next);
		return 9;
	}
	if (argc == 2) {
		char *next[] = { argv[0], stage, stage, stage, NULL };

		execve(argv[0], next, bare);
		return 9;
	}
	return hazard_done();
}
