/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One loop over signals, the tracing process and the viewer; whoever ends leaves the rest in order. */
#include "launcher/front.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/behind.h"
#include "launcher/memview.h"
#include "launcher/process.h"
#include "launcher/run.h"
#include "launcher/say.h"
#include "launcher/signals.h"
#include "wire/viewer.h"

#define KILL_NS		3000000000ull	/* from SIGTERM to SIGKILL */

struct front {
	const struct launch *launch;
	struct signals signals;
	struct terminal terminal;
	char *memview;			/* its path */
	int words;			/* what the tracing process has to say until it may */
	off_t said;			/* of that */
	int wire;			/* to it; -1: it is gone */
	int stream;			/* the viewer's end of the trace; -1 once it has it */
	int ready;			/* see memview_run(); -1 once it was read */
	pid_t behind, viewer;		/* 0: ended, or not started */
	int behind_status, viewer_status;
	bool was_shown;			/* the viewer's screen was open */
	bool started, ended;		/* the target */
	bool left;			/* it goes on untraced */
	bool keyed;			/* its death by SIGINT was asked for by a key */
	uint64_t kill_ns;		/* when it is to be killed; 0: not */
	char *trace, *output;		/* file names */
	char restore[MEMVIEW_RESTORE_MAX];
	size_t restore_length;
};

static void order(struct front *f, enum behind_order what)
{
	const char byte = (char)what;

	if (f->wire >= 0 && send(f->wire, &byte, 1, MSG_NOSIGNAL) < 0) {
		/* it is gone, which its end will tell */
	}
}

/* What was said while the viewer had the terminal. */
static void pass_on_words(struct front *f)
{
	char block[4096];
	ssize_t n;

	while ((n = pread(f->words, block, sizeof(block), f->said)) > 0) {
		if (write(STDERR_FILENO, block, (size_t)n) < 0)
			return;
		f->said += n;
	}
}

static int make_ends(struct front *f, struct behind *b)
{
	int wire[2], stream[2];

	f->words = memfd_create("memtrack-words", MFD_CLOEXEC);
	if (f->words < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire) < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) < 0)
		return -errno;
	f->wire = wire[0];
	f->stream = stream[0];
	*b = (struct behind){
		.wire = wire[1], .stream = stream[1], .words = f->words,
		.voice = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3),
	};
	capture_look(&b->capture, &f->terminal);
	return 0;
}

static void be_behind(struct front *f, struct behind *b)
{
	struct launch launch = *f->launch;

	close(f->wire);
	close(f->stream);
	terminal_close(&f->terminal);
	signals_give_back(&f->signals);
	close(f->signals.fd);
	behind_enter(b);
	launch.behind = b;
	exit(run(&launch));
}

static int start_behind(struct front *f)
{
	struct behind b;
	int rc = make_ends(f, &b);

	if (!rc) {
		f->behind = fork();
		if (!f->behind)
			be_behind(f, &b);
		rc = f->behind < 0 ? -errno : 0;
		close(b.wire);
		close(b.stream);
		close(b.voice);
	}
	if (!rc)
		return 0;
	say_error("cannot start a process: %s", strerror(-rc));
	f->behind = 0;
	return EXIT_FAILED;
}

static void start_viewer(struct front *f)
{
	const struct memview_start start = {
		.path = f->memview, .trace = f->trace, .output = f->output, .stream = f->stream,
		.terminal = &f->terminal, .signals = &f->signals,
	};
	pid_t pid = memview_run(&start, &f->ready);

	close(f->stream);
	f->stream = -1;
	if (pid > 0) {
		f->viewer = pid;
		return;
	}
	say_error("cannot start a process: %s", strerror(-pid));
	close(f->wire);
	f->wire = -1;
}

static void hear(struct front *f, char *message, size_t length)
{
	size_t first;

	switch (message[0]) {
	case BEHIND_READY:
		message[length] = '\0';
		first = strlen(message + 1);
		f->trace = xstrdup(message + 1);
		f->output = xstrdup(first + 2 < length ? message + first + 2 : "");
		start_viewer(f);
		break;
	case BEHIND_STARTED:
		f->started = true;
		break;
	case BEHIND_ENDED:
		f->ended = true;
		break;
	}
}

static void read_wire(struct front *f)
{
	char message[BEHIND_MESSAGE_MAX + 1];
	ssize_t n;

	while (f->wire >= 0 && (n = recv(f->wire, message, BEHIND_MESSAGE_MAX, MSG_DONTWAIT)) >= 0) {
		if (n > 0) {
			hear(f, message, (size_t)n);
			continue;
		}
		close(f->wire);
		f->wire = -1;
	}
}

static void read_ready(struct front *f)
{
	ssize_t n = read(f->ready, f->restore, sizeof(f->restore));

	close(f->ready);
	f->ready = -1;
	if (n <= 0)
		return;		/* it ends: why, it says itself */
	f->restore_length = (size_t)n;
	f->was_shown = true;
	order(f, BEHIND_GO);
}

/* Killed at a blow, it could not do it itself. */
static void restore_terminal(const struct front *f)
{
	int status = f->viewer_status;

	if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status) <= VIEWER_KILLS)
		return;
	if (write(f->terminal.fd, f->restore, f->restore_length) < 0) {
		/* it may be gone */
	}
	terminal_restore(&f->terminal);
}

static void tell_rest(const struct front *f)
{
	int status = f->viewer_status;

	if (f->ended && f->wire >= 0 && f->launch->follow)
		say("what the program has started is traced to its end; Ctrl-C lets it go on untraced");
	if (f->wire < 0 || f->ended)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGINT && WTERMSIG(status) != SIGHUP)
		say("memview was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (!WIFSIGNALED(status) && WEXITSTATUS(status) > VIEWER_KILLS)
		say("memview ended unexpectedly (exit status %d)", WEXITSTATUS(status));
	if (f->left)
		say("the program goes on untraced%s%s", f->output[0] ? "; its output goes on into " : "", f->output);
	else if (f->kill_ns)
		say("the program is asked to end");
	else
		say("the program goes on, traced; memview -f %s shows it again; Ctrl-C reaches the program", f->trace);
}

static void obey_viewer(struct front *f)
{
	int status = f->viewer_status;

	if (!f->was_shown) {		/* nothing was started, so nothing is */
		if (f->wire >= 0)
			close(f->wire);
		f->wire = -1;
	} else if (!f->ended && WIFEXITED(status) && WEXITSTATUS(status) == VIEWER_DETACHES) {
		f->left = true;
		order(f, BEHIND_DETACH);
	} else if (!f->ended && WIFEXITED(status) && WEXITSTATUS(status) == VIEWER_KILLS) {
		f->kill_ns = process_now() + KILL_NS;
		order(f, BEHIND_TERMINATE);
	}
}

static void viewer_ended(struct front *f, int status)
{
	f->viewer = 0;
	f->viewer_status = status;
	if (f->ready >= 0)
		read_ready(f);
	read_wire(f);
	obey_viewer(f);
	restore_terminal(f);
	pass_on_words(f);
	if (f->was_shown)
		tell_rest(f);
	order(f, BEHIND_SPEAK);
}

static void read_children(struct front *f)
{
	int status;

	while (f->viewer && waitpid(f->viewer, &status, WNOHANG | WUNTRACED) == f->viewer) {
		if (WIFSTOPPED(status))		/* the shell is to see it; the rest of us works on */
			signals_mirror_stop(WSTOPSIG(status));
		else
			viewer_ended(f, status);
	}
	if (f->behind && waitpid(f->behind, &status, WNOHANG) == f->behind) {
		f->behind = 0;
		f->behind_status = status;
		read_wire(f);
		if (f->viewer && !f->started)	/* what there was to be seen will not come */
			kill(f->viewer, SIGTERM);
	}
}

/* From a key the whole foreground group has it, the viewer with it, but never the target. */
static void read_key_signal(struct front *f, int signal)
{
	if (signal == SIGHUP)
		order(f, BEHIND_HANGUP);
	else if (signal == SIGTSTP && !f->viewer)
		signals_mirror_stop(SIGTSTP);
	else if (f->viewer)
		return;
	else if (signal == SIGINT || signal == SIGQUIT)
		order(f, signal == SIGINT ? BEHIND_INTERRUPT : BEHIND_QUIT);
	f->keyed |= signal == SIGINT && !f->viewer;
}

static void read_signal(struct front *f, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;

	if (signal == SIGCHLD || signal == SIGWINCH)
		return;
	if (signal == SIGCONT) {
		if (f->viewer)
			kill(f->viewer, SIGCONT);
	} else if (info->ssi_code > 0) {
		read_key_signal(f, signal);
	} else {
		if (signal == SIGHUP)
			order(f, BEHIND_HANGUP);
		else if (f->behind && f->started)
			signals_forward(info, f->behind);
		if (f->viewer && signals_ends(signal))
			kill(f->viewer, signal);
	}
}

static void read_signals(struct front *f)
{
	struct signalfd_siginfo info;

	while (signals_read(&f->signals, &info) == 0)
		read_signal(f, &info);
	read_children(f);
}

static int timeout_ms(const struct front *f)
{
	uint64_t now = process_now();

	if (!f->kill_ns)
		return -1;
	return now < f->kill_ns ? (int)((f->kill_ns - now) / 1000000 + 1) : 0;
}

static void wait_for_all(struct front *f)
{
	while (f->behind || f->viewer) {
		struct pollfd fds[] = {
			{ .fd = f->signals.fd, .events = POLLIN },
			{ .fd = f->wire, .events = POLLIN },
			{ .fd = f->ready, .events = POLLIN },
		};
		int n = poll(fds, 3, timeout_ms(f));

		if (n > 0 && fds[1].revents)
			read_wire(f);
		if (n > 0 && fds[2].revents && f->ready >= 0)
			read_ready(f);
		read_signals(f);
		if (f->kill_ns && process_now() >= f->kill_ns) {
			order(f, BEHIND_KILL);
			f->kill_ns = 0;
		}
	}
}

static int status_of(const struct front *f)
{
	int status = f->behind_status;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	say_error("the tracing process was ended by signal %d; the trace in %s ends there", WTERMSIG(status),
		  f->trace ? f->trace : "-");
	return EXIT_FAILED;
}

static int prepare(struct front *f)
{
	f->memview = memview_find();
	if (!f->memview) {
		say_error("cannot find memview beside memtrack or in PATH; without --view the trace goes into a "
			  "file that it shows later");
		return EXIT_FAILED;
	}
	if (terminal_open(&f->terminal) < 0) {
		say_error("--view needs a terminal; without it the trace goes into a file that memview shows later");
		return EXIT_FAILED;
	}
	if (signals_take(&f->signals) < 0) {
		say_error("cannot get ready: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return 0;
}

int front(const struct launch *launch)
{
	struct front f = { .launch = launch, .wire = -1, .stream = -1, .ready = -1 };
	int status = prepare(&f);

	if (!status)
		status = start_behind(&f);
	if (!status) {
		wait_for_all(&f);
		pass_on_words(&f);
		status = status_of(&f);
	}
	free(f.memview);
	free(f.trace);
	free(f.output);
	if (f.keyed && status == 128 + SIGINT)
		signals_die_of(SIGINT);
	return status;
}
