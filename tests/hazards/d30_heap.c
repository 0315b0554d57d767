/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D30: handlers allocate while the program is in mmap or munmap, which hold no lock of the heap;
 * the blocks are freed later, outside. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/hazards/hazard.h"

#define BLOCKS 300

static void *volatile blocks[BLOCKS];
static volatile int count;

static void allocate(int signal)
{
	(void)signal;
	if (count < BLOCKS)
		blocks[count++] = malloc(3031);
}

int main(void)
{
	struct itimerval timer = { { 0, 300 }, { 0, 300 } }, off = { 0 };

	setvbuf(stdout, NULL, _IONBF, 0);
	free(malloc(3032));
	signal(SIGALRM, allocate);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (count < BLOCKS)
		munmap(mmap(NULL, 126976, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 126976);
	setitimer(ITIMER_REAL, &off, NULL);
	for (int i = 0; i < BLOCKS; i++)
		free(blocks[i]);
	return hazard_done();
}
