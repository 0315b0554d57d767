/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* B18: runs under an audit module. */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/hazards/hazard.h"

int main(void)
{
	for (int i = 0; i < 100; i++)
		free(malloc(1821));
	CHECK(dlsym(RTLD_DEFAULT, "malloc"));
	return hazard_done();
}
