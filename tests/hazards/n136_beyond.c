/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* N136: totals beyond 32 bits; the memory is never touched. */
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/hazards/hazard.h"

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 20; i++) {
		void *block = malloc(3ul << 30);

		CHECK(block);
		free(block);
	}
	CHECK(mmap(NULL, 5ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
		MAP_FAILED);
	return hazard_done();
}
