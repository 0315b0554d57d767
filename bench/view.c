/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast memview is, and in how much memory: it runs in a terminal in memory, keys are pressed while
 * it loads, sorts, filters and searches, and each is timed until the screen shows its effect.
 *
 *	bench/view [-s SECONDS] [-w WORD] MEMVIEW ARGUMENT...
 *
 * for example bench/view memview/memview trace.mtk.  Ends after SECONDS (120), which is also how long
 * it waits for a live stream to end; what was not reached by then has no line.  WORD is what is searched
 * for ("str").  Prints a line each:
 *
 *	first	MS			from exec to a screen with rows
 *	load	MS CPU			until all is loaded, or SECONDS are over; ms of processor time for it
 *	keys	PHASE COUNT MEDIAN P95 MAX	ms from a key to the screen that shows it
 *	slow	PHASE MS KEY SECOND	the slowest of them, and when after the start
 *	work	WHAT MS CPU		from the key to the last progress that the screen showed: "-" is none,
 *					memview shows none of the first 300 ms
 *	memory	PHASE HWM ANON FILE	MiB: VmHWM so far; RssAnon and RssFile, most of each
 *
 * PHASE is loading, sorting (by size), filtering (leaks), searching.  Keys are pressed every 80 to 250 ms;
 * a phase is over when there was no progress for 1.5 s.  A key that shows nothing for 10 s is told
 * on standard error.  Other processes on the machine are in all times but CPU. */
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/memview/emulator.h"

#define ROWS		40
#define COLUMNS		120
#define SAMPLES		4096
#define REST_MS		1500	/* without progress on the screen: done */
#define KEY_MS		10000	/* most that is waited for a key */

static struct emulator screen;
static int terminal;
static pid_t child;
static bool ended;
static double start;
static long most_anon, most_file, hwm;
static char row_text[ROWS][COLUMNS * 16 + 1];
static bool fresh;		/* row_text is of the screen */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Milliseconds of processor time that it took so far. */
static double processor_time(void)
{
	unsigned long user = 0, system = 0;
	char path[40], line[1024], *behind;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
	in = fopen(path, "r");
	behind = in && fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
	if (behind)
		sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
	if (in)
		fclose(in);
	return (double)(user + system) * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

static void look_at_memory(void)
{
	char path[40], line[128];
	FILE *in;
	long kib;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)child);
	in = fopen(path, "r");
	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			hwm = kib;
		else if (sscanf(line, "RssAnon: %ld", &kib) == 1 && kib > most_anon)
			most_anon = kib;
		else if (sscanf(line, "RssFile: %ld", &kib) == 1 && kib > most_file)
			most_file = kib;
	}
	if (in)
		fclose(in);
}

/* Takes in output, waiting for some at most so long. */
static void look(int timeout_ms)
{
	struct pollfd fd = { .fd = terminal, .events = POLLIN };
	static double looked;
	char bytes[65536];

	if (poll(&fd, 1, timeout_ms) > 0) {
		ssize_t n = read(terminal, bytes, sizeof(bytes));

		if (n <= 0)
			ended = true;
		else
			emulator_feed(&screen, bytes, (size_t)n);
		fresh = false;
	}
	if (now() > looked + 20) {
		look_at_memory();
		looked = now();
	}
}

static const char *text_of(int row)
{
	if (!fresh)
		for (int i = 0; i < ROWS; i++)
			emulator_row(&screen, i, row_text[i]);
	fresh = true;
	return row_text[row];
}

static bool shows(const char *text)
{
	for (int row = 0; row < ROWS; row++)
		if (strstr(text_of(row), text))
			return true;
	return false;
}

/* The row of the cursor in the list: where the left side is in reverse. */
static int cursor_row(void)
{
	for (int row = 3; row < ROWS; row++)
		if (screen.cells[row * COLUMNS + 6].style.attributes & EMULATOR_REVERSE)
			return row;
	return -1;
}

static bool is_loading(void)
{
	return strstr(text_of(0), "LOADING") || strstr(text_of(0), " loading ");
}

static bool is_live(void)
{
	return strstr(text_of(0), "LIVE") || shows("waiting for");
}

static bool is_working(void)
{
	const char *row = text_of(0);

	return strstr(row, "sorting ") || strstr(row, "filtering ") || strstr(row, "searching ");
}

/* Keys and what shows that they were obeyed; NULL: the cursor moves. */
static const struct probe { const char *keys, *shows; } probes[] = {
	{ "j", NULL }, { "f", "Filter: Leaks" }, { "f", "Filter: Active" }, { "f", "Filter: Freed" },
	{ "f", "Filter: All" }, { "j", NULL }, { "j", NULL }, { "?", "To find a leak" }, { "?", "Filter: All" },
	{ "\\", "group" }, { "\\", " shown" }, { "H", "of all shown" }, { "H", " shown" }, { "j", NULL },
};
/* What leaves the selection as it is, and the header, which tells of progress, in sight. */
static const struct probe idle[] = { { "X", "mouse off" }, { "X", "mouse on" } };

static struct keys { const struct probe *probes; size_t count, next; } all_keys = {
	probes, sizeof(probes) / sizeof(probes[0]), 0
}, idle_keys = { idle, sizeof(idle) / sizeof(idle[0]), 0 };

#define SLOWEST		8u
static struct sample { double ms, at; const char *keys; } samples[SAMPLES];
static size_t sample_count;

static void press(const struct probe *probe)
{
	int before = cursor_row();
	double at = now(), until = at + KEY_MS;

	if (write(terminal, probe->keys, strlen(probe->keys)) < 0)
		ended = true;
	while (!ended && now() < until) {
		if (probe->shows ? shows(probe->shows) : cursor_row() >= 0 && cursor_row() != before)
			break;
		look(1);
	}
	if (now() >= until)
		fprintf(stderr, "bench/view: %s had no effect\n", probe->keys);
	if (sample_count < SAMPLES)
		samples[sample_count++] = (struct sample){ now() - at, at - start, probe->keys };
}

static int compare(const void *a, const void *b)
{
	double x = ((const struct sample *)a)->ms, y = ((const struct sample *)b)->ms;

	return (x > y) - (x < y);
}

static void tell_keys(const char *phase)
{
	if (sample_count) {
		qsort(samples, sample_count, sizeof(*samples), compare);
		printf("keys\t%s\t%zu\t%.0f\t%.0f\t%.0f\n", phase, sample_count, samples[sample_count / 2].ms,
		       samples[sample_count * 95 / 100].ms, samples[sample_count - 1].ms);
		for (size_t i = 1; i <= SLOWEST && i <= sample_count; i++)
			printf("slow\t%s\t%.0f\t%s\t%.1f\n", phase, samples[sample_count - i].ms,
			       samples[sample_count - i].keys, samples[sample_count - i].at * 1e-3);
	}
	sample_count = 0;
	look_at_memory();
	printf("memory\t%s\t%ld\t%ld\t%ld\n", phase, hwm / 1024, most_anon / 1024, most_file / 1024);
	fflush(stdout);
}

static void rest(int ms)
{
	double until = now() + ms;

	while (!ended && now() < until)
		look((int)(until - now()) + 1);
}

/* Presses keys until nothing is left to do.  Returns when that was seen last, or 0: never. */
static double work(struct keys *keys, bool (*works)(void), double limit)
{
	double last = 0, from = now();

	while (!ended && now() < (last > from ? last : from) + REST_MS && now() < limit) {
		press(&keys->probes[keys->next++ % keys->count]);
		rest(80 + (int)(keys->next * 37 % 170));
		if (works())
			last = now();
	}
	return last;
}

/* All rows, and no help, which would take the next key for itself. */
static void show_all(double limit)
{
	static const struct probe help = { "?", "Filter:" }, filter = { "f", "Filter:" };

	if (shows("To find a leak"))
		press(&help);
	while (!ended && now() < limit && !shows("Filter: All")) {
		press(&filter);
		rest(100);
	}
	work(&idle_keys, is_working, limit);
	sample_count = 0;
}

static void command(const char *what, const char *keys, double limit)
{
	double from, last, processor;

	show_all(limit);
	from = now();
	processor = processor_time();
	if (now() >= limit || write(terminal, keys, strlen(keys)) < 0)
		return;
	last = work(&idle_keys, is_working, limit);
	if (last > 0)
		printf("work\t%s\t%.0f\t%.0f\n", what, last - from, processor_time() - processor);
	else
		printf("work\t%s\t-\t%.0f\n", what, processor_time() - processor);
	tell_keys(what);
}

static bool is_busy(void)
{
	return is_loading() || is_live();
}

static void run(char **argv)
{
	struct winsize size = { .ws_row = ROWS, .ws_col = COLUMNS };

	start = now();
	child = forkpty(&terminal, NULL, NULL, &size);
	if (child == 0) {
		setenv("TERM", "xterm-256color", 1);
		execv(argv[0], argv);
		_exit(127);
	}
	emulator_start(&screen, ROWS, COLUMNS);
}

int main(int argc, char **argv)
{
	int option, seconds = 120;
	const char *word = "str";
	char search[64];
	double limit, last;

	setlocale(LC_ALL, "C.UTF-8");
	while ((option = getopt(argc, argv, "+s:w:")) != -1) {
		if (option == 's')
			seconds = atoi(optarg);
		else if (option == 'w')
			word = optarg;
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	run(argv + optind);
	limit = start + seconds * 1e3;
	while (!ended && now() < limit && !(shows("[F]") || shows("[A]") || shows("[L]")))
		look(1);
	printf("first\t%.0f\n", now() - start);
	/* In a stream the cursor follows, which is no answer to a key. */
	if (is_live())
		press(&(struct probe){ "F", "ollow off" });
	sample_count = 0;
	last = work(&all_keys, is_busy, limit);
	printf("load\t%.0f\t%.0f\n", (last > 0 ? last : now()) - start, processor_time());
	tell_keys("loading");
	if (now() < limit) {
		snprintf(search, sizeof(search), "/%s\r", word);
		command("sorting", "2", limit);
		command("filtering", "f", limit);
		command("searching", search, limit);
	}
	if (write(terminal, "q", 1) < 0)
		ended = true;
	for (int i = 0; i < 50 && !ended; i++)
		look(20);
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	emulator_release(&screen);
	return 0;
}
