/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tight [ROUNDS]: malloc and free from one place, two events a round. */
#include "bench/workload.h"

int main(int argc, char **argv)
{
	long rounds = workload_rounds(argc, argv, 10000000);

	for (long i = 0; i < rounds; i++) {
		void *p = malloc(16 + (size_t)(i & 127));

		KEEP(p);
		free(p);
	}
	return 0;
}
