/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C26: the same child through every way to start one: the same environment. */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hazards/hazard.h"

extern char **environ;

static char *const show[] = { "env", NULL };

static void reap(const char *how, pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	printf("%s: %d\n", how, status);
	fflush(stdout);
}

static void by_fork(const char *how)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (strcmp(how, "execve") == 0)
			execve("/usr/bin/env", show, environ);
		else if (strcmp(how, "execvpe") == 0)
			execvpe("env", show, environ);
		else
			execlp("env", "env", NULL);
		_exit(9);
	}
	reap(how, pid);
}

static void by_popen(void)
{
	FILE *pipe = popen("env | grep -v '^_='", "r");
	char line[4096];

	while (fgets(line, sizeof(line), pipe))
		fputs(line, stdout);
	pclose(pipe);
	fflush(stdout);
}

int main(void)
{
	pid_t pid;

	setenv("HAZARD", "C26", 1);
	by_fork("execve");
	by_fork("execvpe");
	by_fork("execlp");
	CHECK(posix_spawn(&pid, "/usr/bin/env", NULL, NULL, show, environ) == 0);
	reap("posix_spawn", pid);
	CHECK(posix_spawnp(&pid, "env", NULL, NULL, show, environ) == 0);
	reap("posix_spawnp", pid);
	CHECK(posix_spawnp(&pid, "no-such-program", NULL, NULL, show, environ) != 0);
	CHECK(system("env | grep -v '^_='") == 0);
	by_popen();
	return hazard_done();
}
