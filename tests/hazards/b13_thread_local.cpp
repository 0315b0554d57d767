/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B13: a thread_local's destructor allocates, after everything else of its thread is torn down. */
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/hazards/hazard.h"

struct Late {
	std::vector<int> values;

	~Late()
	{
		for (int i = 0; i < 50; i++) {
			void *block = malloc(1313);

			memset(block, 5, 1313);
			free(block);
		}
		values.assign(1000, 1);
	}
};

static thread_local Late late;

int main()
{
	for (int i = 0; i < 100; i++)
		std::thread([] {
			late.values.push_back(1);
			free(malloc(1314));
		}).join();
	return hazard_done();
}
