/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D30: a timer's handler maps, unmaps and counts in the middle of the program's own calls. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/hazards/hazard.h"

#define INTERRUPTIONS 500

static volatile int interruptions;

static void *map_pages(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void interrupt(int signal)
{
	void *pages;

	(void)signal;
	if (interruptions == INTERRUPTIONS)
		return;
	pages = map_pages(30 << 12);
	munmap(pages, 30 << 12);
	interruptions++;
}

int main(void)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } }, off = { 0 };
	long rounds = 0;

	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (interruptions < INTERRUPTIONS) {
		munmap(map_pages(31 << 12), 31 << 12);
		for (int i = 0; i < 20; i++)
			free(malloc(i * 100 + 1));
		rounds++;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	CHECK(rounds > 0);
	return hazard_done();
}
