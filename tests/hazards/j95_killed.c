/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J95: dies of SIGKILL with 100 blocks in its hands, at the moment of its peak. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	static void *blocks[100];

	for (int i = 0; i < 10000; i++)
		free(malloc(9596));
	for (int i = 0; i < 100; i++)
		blocks[i] = malloc(9595);
	kill(getpid(), SIGKILL);
	return blocks[0] != NULL;
}
