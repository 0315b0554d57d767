/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signal handlers that note and a self-pipe that wakes; the crash path that leaves a sane tty. */
#include "memview/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define GUARD_MAX 256
#define CRASH_STACK_BYTES 65536

static const int end_signals[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2,
	SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT,
};
static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

static int wake[2] = { -1, -1 };
static atomic_uint pending;
static volatile sig_atomic_t end_signal;

static struct {
	atomic_bool armed;
	int fd;
	struct termios modes;
	char bytes[GUARD_MAX];
	size_t length;
} guard;

/* Async-signal-safe: the tty as the shell had it. */
static void guard_restore(void)
{
	if (!atomic_exchange(&guard.armed, false))
		return;
	if (write(guard.fd, guard.bytes, guard.length) < 0) {
		/* nothing better to do in a dying process */
	}
	tcsetattr(guard.fd, TCSANOW, &guard.modes);
}

static void die_by(int number)
{
	sigset_t set;

	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void on_crash(int number)
{
	guard_restore();
	die_by(number);
}

static void note(enum interrupt what)
{
	int saved = errno;

	atomic_fetch_or(&pending, what);
	if (write(wake[1], "", 1) < 0) {
		/* a full pipe wakes as well */
	}
	errno = saved;
}

static void on_end(int number)
{
	/* The main loop did not get to the first one: it hangs. */
	if (end_signal) {
		guard_restore();
		die_by(number);
	}
	end_signal = number;
	note(INTERRUPT_END);
}

static void on_change(int number)
{
	note(number == SIGWINCH ? INTERRUPT_RESIZE :
	     number == SIGTSTP ? INTERRUPT_STOP : INTERRUPT_CONTINUE);
}

static int handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigfillset(&action.sa_mask);
	if (sigaction(number, NULL, &old) < 0)
		return -errno;
	if (old.sa_handler == SIG_IGN && number != SIGWINCH)
		return 0;
	return sigaction(number, &action, NULL) < 0 ? -errno : 0;
}

static int handle_all(void)
{
	static char crash_stack[CRASH_STACK_BYTES];
	stack_t stack = { .ss_sp = crash_stack, .ss_size = sizeof(crash_stack) };
	int err = 0;

	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < sizeof(end_signals) / sizeof(int) && !err; i++)
		err = handle(end_signals[i], on_end, SA_RESTART);
	for (int number = SIGRTMIN; number <= SIGRTMAX && !err; number++)
		err = handle(number, on_end, SA_RESTART);
	for (size_t i = 0; i < sizeof(crash_signals) / sizeof(int) && !err; i++)
		err = handle(crash_signals[i], on_crash, SA_ONSTACK);
	if (!err)
		err = handle(SIGWINCH, on_change, SA_RESTART);
	if (!err)
		err = handle(SIGTSTP, on_change, SA_RESTART);
	if (!err)
		err = handle(SIGCONT, on_change, SA_RESTART);
	return err;
}

int interrupts_install(void)
{
	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	return handle_all();
}

int interrupts_wait(struct pollfd *fds, size_t count, int timeout_ms)
{
	struct pollfd all[8];
	char drop[64];
	int ready;

	if (count > sizeof(all) / sizeof(all[0]) - 1)
		return -EINVAL;
	memcpy(all, fds, count * sizeof(*fds));
	all[count] = (struct pollfd){ .fd = wake[0], .events = POLLIN };
	ready = poll(all, count + 1, timeout_ms);
	if (ready < 0) {
		for (size_t i = 0; i < count; i++)
			fds[i].revents = 0;
		return errno == EINTR ? 0 : -errno;
	}
	memcpy(fds, all, count * sizeof(*fds));
	if (!all[count].revents)
		return ready;
	while (read(wake[0], drop, sizeof(drop)) > 0)
		;
	return ready - 1;
}

unsigned interrupts_take(void)
{
	return atomic_exchange(&pending, 0);
}

void interrupts_stop_self(void)
{
	struct sigaction ours;

	sigaction(SIGTSTP, NULL, &ours);
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}

int interrupts_end_signal(void)
{
	return end_signal;
}

void interrupts_forgive(void)
{
	end_signal = 0;
}

void interrupts_end_self(void)
{
	if (end_signal)
		die_by(end_signal);
}

void interrupts_guard(int fd, const struct termios *modes, const char *bytes, size_t length)
{
	atomic_store(&guard.armed, false);
	if (!bytes)
		return;
	guard.fd = fd;
	guard.modes = *modes;
	guard.length = length < GUARD_MAX ? length : GUARD_MAX;
	memcpy(guard.bytes, bytes, guard.length);
	atomic_store(&guard.armed, true);
}

size_t interrupts_guarded(char *bytes, size_t size)
{
	size_t length = guard.length < size ? guard.length : size;

	memcpy(bytes, guard.bytes, length);
	return length;
}
