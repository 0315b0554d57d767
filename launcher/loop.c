/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for signals, guests, mail, viewers and the ends of processes. */
#include "launcher/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/exit_code.h"
#include "launcher/notice.h"
#include "launcher/procfs.h"
#include "launcher/requests.h"
#include "launcher/say.h"

#define INTERRUPT_NS	500000000ull	/* a Ctrl-C that ended the target is not meant for us, too */

static void tell_silence(struct loop *l)
{
	struct process *p = l->tracer->main;
	char *reason, text[512];

	l->notice_ns = 0;
	if (p->connected || !p->family)		/* without a channel: that was said */
		return;
	if (!l->ended)		/* what it is now may not be what was started */
		l->facts_known = target_inspect_process(l->pid, l->facts) == 0;
	reason = notice_silent(l->facts, l->facts_known);
	snprintf(text, sizeof(text), "not traced: %s", reason);
	say("%s", text);
	if (process_is_traced(p))
		session_add_note(p->session, text);
	free(reason);
}

/* It stays a zombie until its session is finished, so that its names can still be read. */
static void target_ended(struct loop *l, const siginfo_t *info)
{
	/* it may have connected and died before the door was looked at */
	tracer_answer_door(l->tracer);
	l->ended = true;
	l->ended_ns = process_now();
	l->how = info->si_code == CLD_EXITED ? TRACE_END_EXIT : TRACE_END_SIGNAL;
	l->value = (uint32_t)info->si_status;
	if (l->notice_ns)
		tell_silence(l);
	process_close(l->tracer->main, l->how, l->value);
	if (l->behind)
		behind_tell(l->behind, BEHIND_ENDED);
}

/* The kernel tells of each stop once, also of those that came and went. */
static void read_child(struct loop *l)
{
	siginfo_t info = { 0 };

	while (!l->ended && waitid(P_PID, (id_t)l->pid, &info, WSTOPPED | WNOHANG) == 0 &&
	       info.si_pid) {
		if (!l->behind) {	/* else the viewer goes on, and shows it */
			l->mirrored = true;
			signals_mirror_stop(info.si_status);
		}
		info.si_pid = 0;
	}
	if (!l->ended && waitid(P_PID, (id_t)l->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    info.si_pid)
		target_ended(l, &info);
}

/* A shell continues the whole process group; `kill -CONT` may have meant us alone. */
static void continued(struct loop *l, const struct signalfd_siginfo *info)
{
	char state = '?';

	procfs_state(l->pid, &state, NULL);
	if (state == 'T')
		kill(l->pid, SIGCONT);
	else if (!l->mirrored)
		signals_forward(info, l->pid);
	l->mirrored = false;
}

/* Behind the end of the target: first whoever outlives it is let go, then we end at once. */
static void asked_to_end(struct loop *l)
{
	if (process_now() - l->ended_ns <= INTERRUPT_NS)
		return;
	if (l->detached || !l->tracer->launch->follow)
		l->interrupted = true;
	l->detached = true;
	tracer_detach(l->tracer);
}

static void read_signal(struct loop *l, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;

	if (signal == SIGCHLD && info->ssi_code > 0) {
		return;		/* read_child looks in any case, after all that was sent before */
	} else if (!l->ended && signal == SIGCONT) {
		continued(l, info);
	} else if (!l->ended) {
		l->keyed |= signal == SIGINT && info->ssi_code > 0;
		signals_forward(info, l->pid);
	} else if (l->behind && !l->behind->speaks) {
		return;		/* somebody still looks at the trace */
	} else if (signals_ends(signal)) {
		asked_to_end(l);
	}
}

static void read_signals(struct loop *l)
{
	struct signalfd_siginfo info;

	while (signals_read(l->signals, &info) == 0)
		read_signal(l, &info);
	read_child(l);
}

static int timeout_ms(const struct loop *l, uint64_t watch_ns)
{
	uint64_t least = watch_ns;

	if (l->notice_ns) {
		uint64_t now = process_now(), left = l->notice_ns > now ? l->notice_ns - now : 0;

		if (left < least)
			least = left;
	}
	return least == UINT64_MAX ? -1 : (int)((least + 999999) / 1000000);
}

/* The user at the viewer, or at the terminal that it left.  The target leads a process group. */
static void read_order(struct loop *l)
{
	int what = behind_order(l->behind), signal = behind_signal(what);

	if (l->ended && signal && l->behind->speaks)
		asked_to_end(l);
	if (l->ended || l->left)
		return;
	if (signal)
		kill(-l->pid, signal);
	if (what != BEHIND_DETACH)
		return;
	l->left = true;
	l->how = TRACE_END_DETACH;
	tracer_detach(l->tracer);
}

static bool is_over(struct loop *l)
{
	if (l->interrupted)
		return true;
	if (!(l->ended || l->left) || !tracer_alone(l->tracer) || tracer_expects_more(l->tracer))
		return false;
	tracer_read_mail(l->tracer);	/* a fork may have been announced meanwhile */
	if (!tracer_alone(l->tracer))
		return false;
	tracer_let_main_go(l->tracer);
	return l->tracer->main->finished && !snapshot_is_busy(&l->tracer->snapshot);
}

static void tell_status(void *owner, struct buffer *out)
{
	const struct loop *l = owner;

	buffer_printf(out, "traced from its start by memtrack (process %d)", (int)getpid());
	if (l->tracer->main->output.path)
		buffer_printf(out, "\ntrace: %s", l->tracer->main->output.path);
	else if (l->server)
		buffer_printf(out, "\ntrace: %s", server_address(l->server));
}

void loop_run(struct loop *l)
{
	struct pollfd fds[] = {
		{ .fd = l->signals->fd, .events = POLLIN },
		{ .fd = l->tracer->door.fd, .events = POLLIN },
		{ .fd = l->tracer->bell, .events = POLLIN },
		{ .fd = l->tracer->poller, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
		{ .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 },
	};
	struct requests requests = {
		.tracer = l->tracer, .server = l->server, .near = l->near, .control = l->control,
		.answers = { tell_status, l->tracer, "it is traced from its start, to its end", l },
	};

	if (l->server && !l->tracer->go)
		fds[4].fd = server_first_viewer_fd(l->server);
	read_signals(l);	/* the target may have ended before */
	while (!is_over(l)) {
		int n;

		fds[5].fd = l->behind ? l->behind->wire : -1;
		requests_watch(&requests, fds + 6);
		n = poll(fds, 6 + REQUEST_FDS, timeout_ms(l, tracer_watch(l->tracer)));

		if (n > 0 && fds[0].revents)
			read_signals(l);
		if (n > 0 && fds[1].revents)
			tracer_answer_door(l->tracer);
		if (n > 0 && fds[2].revents)
			tracer_read_mail(l->tracer);
		if (n > 0 && fds[3].revents)
			tracer_read_ends(l->tracer);
		if (n > 0 && fds[4].revents) {
			tracer_go(l->tracer);
			fds[4].fd = -1;
		}
		if (n > 0 && fds[5].revents)
			read_order(l);
		if (n > 0)
			requests_answer(&requests, fds + 6);
		if (l->notice_ns && process_now() >= l->notice_ns)
			tell_silence(l);
	}
	if (l->ended)
		waitpid(l->pid, NULL, 0);
}
