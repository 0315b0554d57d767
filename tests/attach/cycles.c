/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a hostile program, lets a command attach to it and detach many times over, and looks after each
 * whether every thread goes on and nothing is left behind; at the end, whether the program is content.
 *
 *	cycles [-n CYCLES] [-l SECONDS] [-e STATUS] [-i] [-s] [-x] [-o FILE] TARGET... -- COMMAND...
 *
 * -n: so many (1).  -l: the command may take so long (30).  -e: it must exit with this status (0).
 * -i: the program is idle, so nothing at all may be different afterwards.  -s: it is stopped meanwhile
 * and must stay so.  -x: it executes itself or has no workers at the usual place: only its end counts.
 * -t: so many of the attempts may fail with status 125 (0).
 * "%b" in TARGET is the board's descriptor, "%p" in COMMAND the pid, "%n" the cycle.
 * Prints the counts and the median time; exit 0 if all was well. */
#include "tests/attach/board.h"
#include "tests/attach/look.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_S = 20, END_S = 30 };

static struct {
	int cycles, limit_s, status, may_refuse;
	bool idle, stopped, elsewhere;
	char **target, **command;
} options = { .cycles = 1, .limit_s = 30 };

static struct board *board;
static int board_fd;
static pid_t target;
static int refused;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void nap(void)
{
	usleep(1000);
}

static void replace(char **words, const char *mark, int number)
{
	static char text[4][32];
	static int used;

	for (; *words; words++)
		if (strcmp(*words, mark) == 0) {
			snprintf(text[used % 4], sizeof(text[0]), "%d", number);
			*words = text[used++ % 4];
		}
}

static void make_board(void)
{
	board_fd = memfd_create("board", 0);
	if (board_fd < 0 || ftruncate(board_fd, sizeof(*board)) != 0)
		exit(2);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, board_fd, 0);
	if (board == MAP_FAILED)
		exit(2);
}

/* Not waited for yet. */
static bool has_ended(siginfo_t *info)
{
	info->si_pid = 0;
	return waitid(P_PID, (id_t)target, info, WEXITED | WNOHANG | WNOWAIT) != 0 || info->si_pid != 0;
}

/* Its words go to our stdout. */
static bool start_target(void)
{
	double end = now() + PROGRESS_S;
	siginfo_t info;

	replace(options.target, "%b", board_fd);
	target = fork();
	if (target == 0) {
		execvp(options.target[0], options.target);
		perror(options.target[0]);
		_exit(127);
	}
	while (!atomic_load(&board->ready) && now() < end && !has_ended(&info))
		nap();
	return atomic_load(&board->ready) != 0;
}

/* Every counter moves. */
static bool all_progress(void)
{
	uint32_t count = options.elsewhere ? 1 : atomic_load(&board->workers);
	double end = now() + PROGRESS_S;
	uint64_t before[BOARD_WORKERS];
	bool moved = true;

	for (uint32_t i = 0; i < count; i++)
		before[i] = atomic_load(&board->progress[i]);
	for (uint32_t i = 0; i < count; i++) {
		while (atomic_load(&board->progress[i]) == before[i] && now() < end)
			nap();
		if (atomic_load(&board->progress[i]) == before[i]) {
			fprintf(stderr, "worker %u does not go on\n", i);
			moved = false;
		}
	}
	return moved;
}

/* The command's exit status; -1 if it was killed or took too long (then it is killed). */
static int run_command(int cycle)
{
	char *words[64], pid[16], number[16];
	double end = now() + options.limit_s;
	int count = 0, status = 0;
	pid_t child;

	snprintf(pid, sizeof(pid), "%d", target);
	snprintf(number, sizeof(number), "%d", cycle);
	for (char **word = options.command; *word && count < 63; word++)
		words[count++] = strcmp(*word, "%p") == 0 ? pid : strcmp(*word, "%n") == 0 ? number : *word;
	words[count] = NULL;
	child = fork();
	if (child == 0) {
		close(board_fd);
		execvp(words[0], words);
		perror(words[0]);
		_exit(127);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		if (now() > end) {
			fprintf(stderr, "cycle %d: the command takes too long\n", cycle);
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			return -1;
		}
		nap();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool target_lives(int cycle)
{
	siginfo_t info;

	if (!has_ended(&info))
		return true;
	fprintf(stderr, "cycle %d: the program is gone: %s %d\n", cycle,
		info.si_code == CLD_EXITED ? "status" : "signal", info.si_status);
	return false;
}

/* Until the kernel says that it is: a stop takes its time. */
static void stop_target(void)
{
	double end = now() + 5;

	kill(target, SIGSTOP);
	while (now() < end) {
		siginfo_t info = { .si_pid = 0 };

		waitid(P_PID, (id_t)target, &info, WSTOPPED | WNOHANG | WNOWAIT);
		if (info.si_pid == target)
			break;
		nap();
	}
	usleep(10000);
}

static bool one_cycle(int cycle, double *took)
{
	double start;
	int status;
	bool well;

	if (options.stopped)
		stop_target();
	start = now();
	status = run_command(cycle);
	*took = now() - start;
	if (!target_lives(cycle))
		return false;
	if (status == 125 && options.status != 125 && refused < options.may_refuse) {
		refused++;
		status = options.status;
	}
	if (status != options.status)
		fprintf(stderr, "cycle %d: the command's status is %d\n", cycle, status);
	well = status == options.status;
	if (!options.elsewhere && look_held(target, options.stopped))
		well = false;
	if (options.stopped)
		kill(target, SIGCONT);
	if (!all_progress() || (!options.elsewhere && look_code_differs(target)))
		well = false;
	return target_lives(cycle) && well;
}

/* It has been told to; its status is to be 0. */
static bool target_ends(void)
{
	double end = now() + END_S;
	int status = 0;

	atomic_store(&board->stop, 1);
	while (waitpid(target, &status, WNOHANG) == 0) {
		if (now() > end) {
			fprintf(stderr, "the program does not end\n");
			kill(target, SIGKILL);
			waitpid(target, &status, 0);
			return false;
		}
		nap();
	}
	if (status != 0)
		fprintf(stderr, "the program's end: %s %d\n", WIFEXITED(status) ? "status" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return status == 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool run_cycles(void)
{
	double *times = calloc((size_t)options.cycles, sizeof(*times));
	struct look before, after;
	int good = 0, done = 0;
	bool same;

	usleep(100000);	/* a main thread that leaves has left */
	before = look_at(target);
	while (done < options.cycles) {
		bool well = one_cycle(done, &times[done]);

		done++;
		good += well;
		if (!well && (done - good >= 3 || !target_lives(done)))
			break;
	}
	after = look_at(target);
	same = options.elsewhere || !target_lives(done) || !look_differs(&before, &after, options.idle);
	qsort(times, (size_t)done, sizeof(*times), compare);
	printf("%d of %d cycles, %d refused, median %.1f ms, longest %.1f ms\n", good, options.cycles, refused,
		times[done / 2] * 1e3, times[done - 1] * 1e3);
	fflush(stdout);
	look_free(&before);
	look_free(&after);
	free(times);
	return good == options.cycles && same;
}

static void usage(void)
{
	fputs("usage: cycles [-n CYCLES] [-l SECONDS] [-e STATUS] [-t REFUSALS] [-isx] TARGET... -- COMMAND...\n",
		stderr);
	exit(2);
}

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+n:l:e:t:isx")) != -1)
		switch (option) {
		case 'n': options.cycles = atoi(optarg); break;
		case 'l': options.limit_s = atoi(optarg); break;
		case 'e': options.status = atoi(optarg); break;
		case 't': options.may_refuse = atoi(optarg); break;
		case 'i': options.idle = true; break;
		case 's': options.stopped = true; break;
		case 'x': options.elsewhere = true; break;
		default: usage();
		}
	options.target = argv + optind;
	for (int i = optind; i < argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			argv[i] = NULL;
			options.command = argv + i + 1;
			break;
		}
	if (!options.target[0] || !options.command || !options.command[0] || options.cycles < 1)
		usage();
}

int main(int argc, char **argv)
{
	bool well;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(argc, argv);
	make_board();
	if (!start_target()) {
		if (waitpid(target, &status, WNOHANG) == target && WIFEXITED(status) && WEXITSTATUS(status) == 77)
			return 77;
		fprintf(stderr, "the program does not start\n");
		kill(target, SIGKILL);
		return 2;
	}
	if (!options.elsewhere && !all_progress()) {
		kill(target, SIGKILL);
		return 2;
	}
	well = run_cycles();
	if (!target_ends())
		well = false;
	return !well;
}
