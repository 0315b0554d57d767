/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J90, J91, J92: closes every descriptor it does not know, opens files of its own in their place and
 * finds in them nothing but its own words; what it leaves open is what it was given. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

static void list_open(const char *who)
{
	printf("%s:", who);
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	puts("");
	fflush(stdout);
}

static void allocate(int times)
{
	for (int i = 0; i < times; i++)
		free(malloc(9000 + i % 2));
}

static void close_all(const char *how)
{
	if (strcmp(how, "range") == 0)
		CHECK(close_range(3, ~0u, 0) == 0);
	else
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
}

int main(int argc, char **argv)
{
	int files[20];
	char byte;

	list_open("given");
	allocate(100);
	close_all(argc > 1 ? argv[1] : "each");
	for (int i = 0; i < 20; i++)
		files[i] = memfd_create("own", 0);
	CHECK(files[0] == 3);
	allocate(20000);
	CHECK(dup2(files[0], 200) == 200);
	allocate(20000);
	for (int i = 0; i < 20; i++)
		CHECK(pread(files[i], &byte, 1, 0) == 0);
	CHECK(pread(200, &byte, 1, 0) == 0);
	if (fork() == 0) {
		list_open("child");
		_exit(0);
	}
	wait(NULL);
	return hazard_done();
}
