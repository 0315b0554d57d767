/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A8: sees whether the interposer of a8_wrapper.c is at work, and what it counted. */
#include <stdlib.h>

#include "tests/hazards/hazard.h"

extern unsigned long a8_mallocs __attribute__((weak));

int main(void)
{
	unsigned long before = &a8_mallocs ? a8_mallocs : 0;

	for (int i = 0; i < 500; i++) {
		unsigned char *block = malloc(888);

		CHECK(!&a8_mallocs || (block[0] == 0xee && block[887] == 0xee));
		free(block);
	}
	if (&a8_mallocs)
		printf("%lu forwarded\n", a8_mallocs - before);
	return hazard_done();
}
