/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a command in a terminal in memory and does what standard input says, a line each:
 *
 *	terminal COLUMNS ROWS COMMAND [ARGUMENT...]
 *
 *	press NAME...		keys (Enter, Up, C-l, x); anything that is no name is typed
 *	text TEXT		typed as it is
 *	mouse WHAT COLUMN ROW	click, double, right, up or down (the wheel)
 *	resize COLUMNS ROWS
 *	shows MS REGEX		yes when a line of the screen matches within that time, else no
 *	lacks MS REGEX		yes when none does
 *	equals MS FILE		yes when the screen is FILE (as print or styles wrote it)
 *	rests MS		yes when there was no output for 300 ms
 *	ended MS		the exit status once it ended, or no
 *	print FILE		the screen as text; styles FILE: with a line for each style
 *	state			cursor, alternate screen, mouse, faults, title
 *	random SEED COUNT	keys at random; how many were sent
 *	quit			the program loses its terminal
 *
 * Each but press, text, resize and quit gets one line of answer. */
#include "tests/memview/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REST_MS 300
#define SETTLE_MS 500
#define ROW_BYTES 16	/* for each column */

static int now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int)((t.tv_sec % 1000000) * 1000 + t.tv_nsec / 1000000);
}

static void reap(struct terminal *t)
{
	struct signalfd_siginfo info;
	int status;

	while (read(t->children, &info, sizeof(info)) > 0)
		;
	if (!t->ended && waitpid(t->child, &status, WNOHANG) == t->child) {
		t->ended = true;
		t->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
}

bool terminal_look(struct terminal *t, int timeout_ms)
{
	struct pollfd fds[2] = { { .fd = t->master, .events = POLLIN }, { .fd = t->children, .events = POLLIN } };
	char bytes[16384];
	bool any = false;
	ssize_t n;

	if (poll(fds, 2, timeout_ms) <= 0)
		return false;
	if (fds[1].revents)
		reap(t);
	/* A whole frame, as far as it is there. */
	while ((n = read(t->master, bytes, sizeof(bytes))) > 0) {
		emulator_feed(&t->screen, bytes, (size_t)n);
		any = true;
	}
	return any || fds[1].revents;
}

bool terminal_wait(struct terminal *t, int timeout_ms, terminal_condition *holds, const void *data)
{
	int until = now_ms() + timeout_ms, left;

	terminal_look(t, 0);
	while (!holds(t, data)) {
		left = until - now_ms();
		if (left <= 0)
			return false;
		/* Not all conditions come with output. */
		terminal_look(t, left < 2 ? left : 2);
	}
	return true;
}

void terminal_send(struct terminal *t, const char *bytes, size_t count)
{
	while (count && !t->ended) {
		ssize_t n = write(t->master, bytes, count);

		if (n > 0) {
			bytes += n;
			count -= (size_t)n;
		} else {
			terminal_look(t, 2);
		}
	}
}

void terminal_resize(struct terminal *t, int columns, int rows)
{
	struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };

	terminal_look(t, 0);
	emulator_resize(&t->screen, rows, columns);
	ioctl(t->master, TIOCSWINSZ, &size);
}

/* Whether a process waits: for keys, as a rule.  *child: the first of its children, or 0. */
static bool is_asleep(pid_t pid, pid_t *child)
{
	char path[64], line[512], state = 0;
	FILE *in;

	*child = 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "re");
	if (in && fgets(line, sizeof(line), in) && strrchr(line, ')'))
		state = strrchr(line, ')')[2];
	if (in)
		fclose(in);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	in = fopen(path, "re");
	if (in && fgets(line, sizeof(line), in))
		*child = (pid_t)strtol(line, NULL, 10);
	if (in)
		fclose(in);
	return state != 'R' && state != 'D';
}

/* Who has drawn what it had to draw waits, and so do the shells above it. */
static bool all_asleep(struct terminal *t, const void *data)
{
	pid_t pid = t->child, child;

	(void)data;
	for (int depth = 0; pid > 0 && depth < 5 && !t->ended; depth++, pid = child) {
		if (!is_asleep(pid, &child))
			return false;
	}
	return !terminal_look(t, 0);
}

/* A picture that is looked at should not be half of one: the program is waited for, for a moment. */
static void settle(struct terminal *t)
{
	terminal_wait(t, SETTLE_MS, all_asleep, NULL);
}

/* Conditions. */
struct match {
	const regex_t *regex;
	bool wanted;
};

static bool matches(struct terminal *t, const void *data)
{
	const struct match *match = data;
	char *text = malloc((size_t)t->screen.columns * ROW_BYTES + 1);
	bool found = false;

	for (int row = 0; text && row < t->screen.rows && !found; row++) {
		emulator_row(&t->screen, row, text);
		found = regexec(match->regex, text, 0, NULL, 0) == 0;
	}
	free(text);
	return found == match->wanted;
}

static char *printed(struct terminal *t, bool styles)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	emulator_print(&t->screen, styles, out);
	fclose(out);
	return text;
}

struct picture {
	const char *text;
	bool styles;
};

static bool equals(struct terminal *t, const void *data)
{
	const struct picture *want = data;
	char *text = printed(t, want->styles);
	bool same = strcmp(text, want->text) == 0;

	free(text);
	return same;
}

static bool has_ended(struct terminal *t, const void *data)
{
	(void)data;
	return t->ended;
}

/* Commands. */
static void answer(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

static void do_match(struct terminal *t, char *rest, bool wanted)
{
	int timeout = (int)strtol(rest, &rest, 10);
	struct match match = { .wanted = wanted };
	regex_t regex;

	if (regcomp(&regex, rest + (*rest == ' '), REG_EXTENDED | REG_NOSUB)) {
		answer("bad expression");
		return;
	}
	match.regex = &regex;
	answer(terminal_wait(t, timeout, matches, &match) ? "yes" : "no");
	regfree(&regex);
}

static char *read_whole(const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!in)
		return NULL;
	if (getdelim(&text, &size, 0, in) < 0) {
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

static void do_equals(struct terminal *t, char *rest)
{
	int timeout = (int)strtol(rest, &rest, 10);
	char *text = read_whole(rest + (*rest == ' '));
	struct picture want = { text, text && strstr(text, "\n ~") };

	answer(text && terminal_wait(t, timeout, equals, &want) ? "yes" : "no");
	free(text);
}

static void do_rests(struct terminal *t, const char *rest)
{
	int until = now_ms() + atoi(rest), quiet = now_ms();

	while (now_ms() - quiet < REST_MS && now_ms() < until) {
		if (terminal_look(t, 20))
			quiet = now_ms();
	}
	answer(now_ms() - quiet >= REST_MS ? "yes" : "no");
}

static void do_print(struct terminal *t, const char *path, bool styles)
{
	FILE *out = fopen(path, "we");

	settle(t);
	if (out) {
		emulator_print(&t->screen, styles, out);
		fclose(out);
	}
	answer(out ? "done" : "no");
}

static void do_ended(struct terminal *t, const char *rest)
{
	char text[16] = "no";

	if (terminal_wait(t, atoi(rest), has_ended, NULL)) {
		/* What it wrote last. */
		terminal_look(t, 0);
		snprintf(text, sizeof(text), "%d", t->status);
	}
	answer(text);
}

static void do_state(struct terminal *t)
{
	const struct emulator *e = &t->screen;
	char text[512];

	settle(t);
	snprintf(text, sizeof(text), "cursor=%d alternate=%d mouse=%d keys=%d edges=%u faults=%u %s title=%s", !e->hidden,
		 e->shell != NULL, e->mouse, e->cursor_keys, e->edges, e->faults, e->fault, e->title);
	answer(text);
}

static void do_press(struct terminal *t, char *names)
{
	for (char *name = strtok_r(names, " ", &names); name; name = strtok_r(NULL, " ", &names))
		terminal_press(t, name);
}

static void do_random(struct terminal *t, char *rest)
{
	unsigned seed = (unsigned)strtoul(rest, &rest, 10), count = (unsigned)strtoul(rest, NULL, 10);
	char text[16];

	snprintf(text, sizeof(text), "%u", terminal_random(t, seed, count));
	answer(text);
}

static void do_sizes(struct terminal *t, char *rest)
{
	int columns = (int)strtol(rest, &rest, 10), rows = (int)strtol(rest, NULL, 10);

	terminal_resize(t, columns, rows);
}

static void do_mouse(struct terminal *t, char *rest)
{
	char *what = strtok_r(rest, " ", &rest);
	int column = (int)strtol(rest, &rest, 10), row = (int)strtol(rest, NULL, 10);

	answer(what && terminal_mouse(t, what, column, row) ? "yes" : "no");
}

static void command(struct terminal *t, char *line)
{
	char *rest = strchr(line, ' ');

	if (rest)
		*rest++ = 0;
	else
		rest = line + strlen(line);
	if (strcmp(line, "press") == 0)
		do_press(t, rest);
	else if (strcmp(line, "text") == 0)
		terminal_send(t, rest, strlen(rest));
	else if (strcmp(line, "resize") == 0)
		do_sizes(t, rest);
	else if (strcmp(line, "shows") == 0 || strcmp(line, "lacks") == 0)
		do_match(t, rest, line[0] == 's');
	else if (strcmp(line, "equals") == 0)
		do_equals(t, rest);
	else if (strcmp(line, "rests") == 0)
		do_rests(t, rest);
	else if (strcmp(line, "ended") == 0)
		do_ended(t, rest);
	else if (strcmp(line, "print") == 0 || strcmp(line, "styles") == 0)
		do_print(t, rest, line[0] == 's');
	else if (strcmp(line, "mouse") == 0)
		do_mouse(t, rest);
	else if (strcmp(line, "random") == 0)
		do_random(t, rest);
	else if (strcmp(line, "state") == 0)
		do_state(t);
	else
		answer("unknown command");
}

/* The child: the slave is its controlling terminal. */
static void run(const char *slave, char **argv)
{
	sigset_t none;
	int fd;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A shell ignores some of them for what it runs in the background, as this. */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	setsid();
	fd = open(slave, O_RDWR);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	/* Whatever was open in the test is not the program's. */
	for (int i = 3; i < 64; i++)
		close(i);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static int start(struct terminal *t, int columns, int rows, char **argv)
{
	struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };
	sigset_t set;
	const char *name;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	t->children = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (t->master < 0 || grantpt(t->master) < 0 || unlockpt(t->master) < 0 || !(name = ptsname(t->master)))
		return -1;
	t->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	ioctl(t->master, TIOCSWINSZ, &size);
	emulator_start(&t->screen, rows, columns);
	t->child = fork();
	if (t->child == 0)
		run(name, argv);
	return t->child < 0 ? -1 : 0;
}

/* Commands a line each, output of the program meanwhile; until there are no more. */
static void serve(struct terminal *t)
{
	char line[4096];
	size_t have = 0;

	for (;;) {
		struct pollfd fds[2] = { { .fd = 0, .events = POLLIN }, { .fd = t->master, .events = POLLIN } };
		char *end;
		ssize_t n;

		poll(fds, 2, -1);
		if (fds[1].revents)
			terminal_look(t, 0);
		if (!fds[0].revents)
			continue;
		n = read(0, line + have, sizeof(line) - have - 1);
		if (n <= 0)
			return;
		have += (size_t)n;
		while ((end = memchr(line, '\n', have))) {
			*end = 0;
			have -= (size_t)(end + 1 - line);
			if (strcmp(line, "quit") == 0)
				return;
			command(t, line);
			memmove(line, end + 1, have);
		}
	}
}

int main(int argc, char **argv)
{
	struct terminal t = { .child = -1 };
	int columns = argc > 3 ? atoi(argv[1]) : 0, rows = argc > 3 ? atoi(argv[2]) : 0;

	if (columns < 1 || rows < 1) {
		fprintf(stderr, "usage: terminal COLUMNS ROWS COMMAND [ARGUMENT...]\n");
		return 2;
	}
	/* What the program writes is UTF-8, whatever the language. */
	if (!setlocale(LC_ALL, "C.UTF-8"))
		setlocale(LC_ALL, "en_US.UTF-8");
	signal(SIGPIPE, SIG_IGN);
	if (start(&t, columns, rows, argv + 3) < 0) {
		perror("terminal");
		return 2;
	}
	serve(&t);
	close(t.slave);
	if (!t.ended)
		kill(-t.child, SIGHUP);
	emulator_release(&t.screen);
	return 0;
}
