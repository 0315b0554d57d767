/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* D32: libc finds a wild free and aborts; the crash handler allocates.  Exits 3. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void crash(int signal)
{
	void *volatile block = malloc(64);

	(void)signal;
	free(block);
	if (write(1, "handler\n", 8) != 8)
		_exit(4);
	_exit(3);
}

int main(void)
{
	char *volatile block = malloc(64);

	signal(SIGABRT, crash);
	signal(SIGSEGV, crash);
	alarm(60);
	free(block + 8);
	return 1;
}
