/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A9: built with a sanitizer by the test. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	void *volatile block = malloc(909);

	free(block);
	puts("OK");
	return 0;
}
