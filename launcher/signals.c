/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading, forwarding and mirroring signals. */
#include "launcher/signals.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

static void set_handler(int signal, void (*handler)(int), struct sigaction *old)
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	sigaction(signal, &action, old);
}

int signals_take(struct signals *signals)
{
	sigset_t all;

	/* Ignored, SIGCHLD would make wait() fail; default, the others would kill us when a
	 * viewer goes away or `ulimit -f` is reached, even though they are blocked. */
	set_handler(SIGCHLD, SIG_DFL, &signals->chld);
	set_handler(SIGPIPE, SIG_IGN, &signals->pipe);
	set_handler(SIGXFSZ, SIG_IGN, &signals->xfsz);
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &signals->mask) < 0)
		return -errno;
	signals->fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? -errno : 0;
}

void signals_give_back(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->chld, NULL);
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGXFSZ, &signals->xfsz, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

int signals_read(struct signals *signals, struct signalfd_siginfo *info)
{
	ssize_t n = read(signals->fd, info, sizeof(*info));

	if (n < 0)
		return -errno;
	return n == sizeof(*info) ? 0 : -EAGAIN;
}

/* The kernel's own (SI_KERNEL and the like are above 0) reached the whole foreground process
 * group, the target among it, or are about memtrack's own doing. */
static bool from_a_process(const struct signalfd_siginfo *info)
{
	return info->ssi_code <= 0;
}

void signals_forward(const struct signalfd_siginfo *info, pid_t pid)
{
	union sigval value = { .sival_ptr = (void *)(uintptr_t)info->ssi_ptr };
	int signal = (int)info->ssi_signo;

	/* A signal of the target's own making (kill(0, sig)) has reached it already; those that
	 * our own writes raise (SIGPIPE, SIGXFSZ) bear our pid. */
	if (!from_a_process(info) || (pid_t)info->ssi_pid == pid ||
	    (pid_t)info->ssi_pid == getpid())
		return;
	if (info->ssi_code == SI_QUEUE)
		sigqueue(pid, signal, value);
	else
		kill(pid, signal);
}

void signals_mirror_stop(int signal)
{
	sigset_t one, old;
	struct sigaction before;

	sigemptyset(&one);
	sigaddset(&one, signal);
	set_handler(signal, SIG_DFL, &before);
	kill(getpid(), signal);
	/* Unblocked, it stops us here, but for an orphaned process group, where the terminal's
	 * stop signals do nothing: the target was stopped by another, and we go on. */
	pthread_sigmask(SIG_UNBLOCK, &one, &old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(signal, &before, NULL);
}

void signals_die_of(int signal)
{
	sigset_t one;

	set_handler(signal, SIG_DFL, NULL);
	sigemptyset(&one);
	sigaddset(&one, signal);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(signal);
}

bool signals_ends(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}
