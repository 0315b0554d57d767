/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the programs of this folder share: each does one thing that has broken tools of this kind,
 * checks what only it can see, prints OK and exits 0. */
#ifndef TESTS_HAZARDS_HAZARD_H
#define TESTS_HAZARDS_HAZARD_H

#include <stdio.h>

static int hazard_bad;

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			printf("line %d: not true: %s\n", __LINE__, #condition); \
			hazard_bad++; \
		} \
	} while (0)

/* The program's last words and its exit status. */
static inline int hazard_done(void)
{
	puts(hazard_bad ? "BAD" : "OK");
	return hazard_bad != 0;
}

#endif
