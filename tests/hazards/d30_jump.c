/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D30: handlers that allocate pages and leave with siglongjmp, out of whatever they interrupted. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/hazards/hazard.h"

static sigjmp_buf start;
static volatile int jumps;

static void jump(int signal)
{
	void *pages = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)signal;
	munmap(pages, 4096);
	jumps++;
	siglongjmp(start, 1);
}

int main(void)
{
	struct itimerval timer = { { 0, 300 }, { 0, 300 } }, off = { 0 };

	signal(SIGALRM, jump);
	if (!sigsetjmp(start, 1))	/* whole, mask and all, before the first handler leaves through it */
		setitimer(ITIMER_REAL, &timer, NULL);
	while (jumps < 300)
		munmap(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
	setitimer(ITIMER_REAL, &off, NULL);
	for (int i = 0; i < 1000; i++)
		free(malloc(3030));
	return hazard_done();
}
