/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A4: runs with an environment that holds next to nothing. */
#include <stdlib.h>
#include <string.h>

#include "tests/hazards/hazard.h"

extern char **environ;

int main(void)
{
	char *text = strdup("text");

	CHECK(!getenv("HOME") && !getenv("PATH") && !getenv("TMPDIR"));
	for (int i = 0; i < 100; i++)
		text = realloc(text, 5 + i * 1000);
	CHECK(strcmp(text, "text") == 0);
	free(text);
	environ = NULL;
	free(malloc(10));
	return hazard_done();
}
