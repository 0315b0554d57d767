/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* peak_rss FILE COMMAND...: runs COMMAND and writes the most KiB it had resident to FILE. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status = -1;
	FILE *out;

	if (argc < 3 || !(out = fopen(argv[1], "w")))
		return 125;
	if (fork() == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	wait(&status);
	getrusage(RUSAGE_CHILDREN, &usage);
	fprintf(out, "%ld\n", usage.ru_maxrss);
	return fclose(out) || !WIFEXITED(status) ? 126 : WEXITSTATUS(status);
}
