/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B16: a library's constructor waits, under the loader's lock, for a thread that allocates. */
#include <dlfcn.h>

#include "tests/hazards/hazard.h"

int main(int argc, char **argv)
{
	CHECK(argc > 1 && dlopen(argv[1], RTLD_NOW));
	return hazard_done();
}
