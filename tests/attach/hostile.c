/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main of the hostile program: reads the words, starts the workers, says how it went. */
#include "tests/attach/hostile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct board *board;
char **hostile_argv;
size_t hostile_stack;
bool hostile_main_leaves;

static struct {
	const struct worker_kind *kind;
	struct worker worker;
	pthread_t thread;
} workers[BOARD_WORKERS];
static unsigned worker_count;

enum { MAX_SETUPS = 8 };
static const struct setup_kind *wanted[MAX_SETUPS];
static unsigned setup_count;
static bool on_main_thread;
static uint64_t ends_at;

/* The first thing that was wrong. */
static char first_wrong[256];
static atomic_flag wrong_before = ATOMIC_FLAG_INIT;

void hostile_wrong(const char *format, ...)
{
	va_list arguments;

	atomic_fetch_add(&board->wrong, 1);
	if (atomic_flag_test_and_set(&wrong_before))
		return;
	va_start(arguments, format);
	vsnprintf(first_wrong, sizeof(first_wrong), format, arguments);
	va_end(arguments);
}

uint64_t hostile_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void hostile_sleep_us(unsigned us)
{
	struct timespec left = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

int hostile_helper(void (*work)(struct worker *), struct worker *w)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		work(w);
	_exit(0);
}

static const struct worker_kind *find_kind(const char *name, size_t length)
{
	static const struct worker_kind *const lists[] = {
		heap_workers, loader_workers, signal_workers, blocking_workers, process_workers, register_workers,
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct worker_kind *kind = lists[i]; kind->name; kind++)
			if (strlen(kind->name) == length && memcmp(kind->name, name, length) == 0)
				return kind;
	return NULL;
}

/* KIND[/ARGUMENT][:COUNT]; false if there is no such kind. */
static bool add_workers(const char *word)
{
	char *copy = strdup(word);
	char *count = strchr(copy, ':'), *argument;
	const struct worker_kind *kind;

	if (count)
		*count++ = '\0';
	argument = strchr(copy, '/');
	if (argument)
		*argument++ = '\0';
	kind = find_kind(copy, strlen(copy));
	for (int n = count ? atoi(count) : 1; kind && n > 0 && worker_count < BOARD_WORKERS; n--) {
		workers[worker_count].kind = kind;
		workers[worker_count].worker = (struct worker){ argument, worker_count, NULL };
		worker_count++;
	}
	return kind != NULL;	/* the copy is the workers' */
}

static bool add_setup(const char *word)
{
	for (const struct setup_kind *setup = setups; setup->name; setup++)
		if (strcmp(setup->name, word) == 0 && setup_count < MAX_SETUPS) {
			wanted[setup_count++] = setup;
			return true;
		}
	return false;
}

static struct board *map_board(int fd)
{
	int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
	struct board *at = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED) {
		perror("hostile: board");
		exit(2);
	}
	return at;
}

static void *run(void *which)
{
	unsigned i = (unsigned)(uintptr_t)which;

	workers[i].kind->work(&workers[i].worker);
	return NULL;
}

static void start(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	if (hostile_stack)
		pthread_attr_setstacksize(&attributes, hostile_stack);
	for (unsigned i = 0; i < worker_count; i++)
		if (pthread_create(&workers[i].thread, &attributes, run, (void *)(uintptr_t)i) != 0) {
			perror("hostile: thread");
			exit(2);
		}
	pthread_attr_destroy(&attributes);
}

/* What is left when all workers are done: on the main thread, or on the last one if that is gone. */
static void *end(void *unused)
{
	for (unsigned i = 0; i < worker_count && !on_main_thread; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned i = 0; i < worker_count; i++)
		if (workers[i].kind->finish)
			workers[i].kind->finish(&workers[i].worker);
	if (atomic_load(&board->interrupted))
		printf("%lu EINTR\n", (unsigned long)atomic_load(&board->interrupted));
	if (atomic_load(&board->wrong))
		printf("%lu wrong: %s\n", (unsigned long)atomic_load(&board->wrong), first_wrong);
	if (!atomic_load(&board->interrupted) && !atomic_load(&board->wrong))
		puts("OK");
	fflush(stdout);
	exit(atomic_load(&board->interrupted) || atomic_load(&board->wrong));
	return unused;
}

/* The word that ends it comes from outside, or from here with -s. */
static void wait_for_end(struct worker *unused)
{
	(void)unused;
	while (!hostile_stopped()) {
		hostile_sleep_us(10000);
		if (ends_at && hostile_now_us() > ends_at)
			atomic_store(&board->stop, 1);
	}
}

static bool read_options(int argc, char **argv)
{
	int option, fd = -1;
	bool ok = true;

	while ((option = getopt(argc, argv, "+b:s:1")) != -1) {
		if (option == 'b')
			fd = atoi(optarg);
		else if (option == 's')
			ends_at = hostile_now_us() + (uint64_t)(atof(optarg) * 1e6);
		else if (option == '1')
			on_main_thread = true;
		else
			ok = false;
	}
	board = map_board(fd);
	for (int i = optind; i < argc; i++)
		if (!add_setup(argv[i]) && !add_workers(argv[i])) {
			fprintf(stderr, "hostile: no such worker: %s\n", argv[i]);
			ok = false;
		}
	return ok && worker_count > 0;
}

int main(int argc, char **argv)
{
	pthread_t last;

	hostile_argv = argv;
	if (!read_options(argc, argv)) {
		fputs("usage: hostile [-b FD] [-s SECONDS] [-1] [SETUP...] WORKER[/ARGUMENT][:COUNT]...\n", stderr);
		return 2;
	}
	for (unsigned i = 0; i < worker_count; i++)
		if (workers[i].kind->setup)
			workers[i].kind->setup(&workers[i].worker);
	for (unsigned i = 0; i < setup_count; i++)
		wanted[i]->set();
	if (ends_at && (on_main_thread || hostile_main_leaves))	/* the main thread cannot */
		hostile_helper(wait_for_end, NULL);
	atomic_store(&board->workers, worker_count);
	atomic_store(&board->ready, 1);
	if (on_main_thread) {
		run(NULL);
		end(NULL);
	}
	start();
	if (hostile_main_leaves) {
		pthread_create(&last, NULL, end, NULL);
		pthread_exit(NULL);
	}
	wait_for_end(NULL);
	end(NULL);
}
