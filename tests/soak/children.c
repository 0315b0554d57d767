/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children that go on soaking: forked, forked and executed, spawned. */
#include "tests/soak/soak.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN_MAX 64

static pid_t children[CHILDREN_MAX];
static unsigned child_count;
static uint64_t random_state;

/* The arguments of an image that soaks for half as long. */
static char **arguments(uint64_t seed)
{
	static char text[5][32];
	static char *argv[16];
	int n = 0;

	snprintf(text[0], sizeof(text[0]), "-t%u", options.milliseconds / 2 + 50);
	snprintf(text[1], sizeof(text[1]), "-s%llu", (unsigned long long)seed >> 1);
	snprintf(text[2], sizeof(text[2]), "-j%u", options.threads / 2 + 1);
	snprintf(text[3], sizeof(text[3]), "-g%u", options.generation + 1);
	snprintf(text[4], sizeof(text[4]), "-n%llu", (unsigned long long)options.operations / 4 + 1);
	argv[n++] = (char *)options.program;
	for (int i = 0; i < 5; i++)
		argv[n++] = text[i];
	argv[n++] = "-c0";
	if (options.wild)
		argv[n++] = "-w";
	argv[n++] = (char *)options.plugins;
	argv[n] = NULL;
	return argv;
}

/* In the child: the other threads are gone, their blocks are not. */
static void continue_soaking(uint64_t seed)
{
	child_count = 0;
	options.seed = seed;
	options.generation++;
	options.milliseconds = options.milliseconds / 2 + 50;
	options.threads = options.threads / 2 + 1;
	options.operations = options.operations / 4 + 1;
	options.children = options.generation < 2 ? options.children / 2 : 0;
	options.exec = false;
	stopping = false;
	signals_block(false);
	_exit(process_run());
}

static pid_t start_fork(uint64_t seed)
{
	pid_t pid;

	loader_lock();
	signals_block(true);
	pid = fork();
	if (pid == 0)
		shadow_forked();
	loader_unlock();
	if (pid == 0)
		continue_soaking(seed);
	signals_block(false);
	return pid;
}

static pid_t start_exec(uint64_t seed, bool borrow)
{
	char **argv = arguments(seed);
	pid_t pid;

	signals_block(true);
	pid = borrow ? vfork() : fork();
	if (pid == 0) {
		if (!borrow)
			shadow_forked();
		signals_block(false);
		execv(options.program, argv);
		_exit(99);
	}
	signals_block(false);
	return pid;
}

static pid_t start_spawn(uint64_t seed)
{
	pid_t pid;

	worker.locked++;
	if (posix_spawn(&pid, options.program, NULL, NULL, arguments(seed), environ))
		pid = -1;
	worker.locked--;
	return pid;
}

void children_start(void)
{
	uint64_t seed = random_next(&random_state) ^ options.seed;
	pid_t pid;

	if (child_count >= CHILDREN_MAX)
		return;
	switch (random_below(&random_state, 6)) {
	case 0: pid = start_spawn(seed); break;
	case 1: pid = start_exec(seed, true); break;
	case 2: pid = start_exec(seed, false); break;
	default: pid = start_fork(seed); break;
	}
	if (pid < 0)
		complain("no child");
	else
		children[child_count++] = pid;
	atomic_fetch_add(&shadow()->forks, 1);
}

void children_wait(void)
{
	for (unsigned i = 0; i < child_count; i++) {
		int status = -1;

		if (waitpid(children[i], &status, 0) < 0 || status != 0) {
			char what[64];

			snprintf(what, sizeof(what), "child %d ended with %#x", (int)children[i], (unsigned)status);
			complain(what);
		}
	}
	child_count = 0;
}

void children_exec(void)
{
	options.generation++;
	execv(options.program, arguments(options.seed));
	complain("no exec");
}
