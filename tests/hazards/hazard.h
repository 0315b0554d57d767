/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the programs of this folder share: each does one thing that has broken tools of this kind,
 * checks what only it can see, prints OK and exits 0. */
#ifndef TESTS_HAZARDS_HAZARD_H
#define TESTS_HAZARDS_HAZARD_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int hazard_bad;

/* With HAZARD_GATE=FIFO the program says by the file FIFO.ready that it is here, and waits until somebody opened the
 * FIFO: so long it can be attached to. */
static inline void hazard_gate(void)
{
	const char *path = getenv("HAZARD_GATE");
	char ready[512];

	if (!path)
		return;
	snprintf(ready, sizeof(ready), "%s.ready", path);
	close(open(ready, O_WRONLY | O_CREAT, 0600));
	close(open(path, O_RDONLY));
}

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
