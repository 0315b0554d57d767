/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for whatever may end the tracing of a process that is not ours. */
#include "launcher/attach_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "launcher/attach.h"
#include "launcher/procfs.h"
#include "launcher/pump.h"
#include "launcher/requests.h"
#include "launcher/say.h"
#include "symbols/living.h"

#define LOOK_NS		100000000ull	/* how often the process's image is looked at */
#define RETRY_NS	300000000ull
#define STOP_MS		300	/* at first; a busy machine may need more */
#define PATIENT_TRIES	5u
#define TRIES_MAX	50u
#define INTERRUPT_NS	500000000ull	/* two signals within this time are one wish */

static void open_memory(struct attach_loop *l)
{
	l->memory = living_open(l->tracer->main->pid, "mem", O_RDONLY);
}

/* The descriptor is of the memory, not of the process: nothing can be read when nobody lives in it.
 * A process that ends has no executable any more. */
static bool has_executed(struct attach_loop *l)
{
	char byte, exe[FAMILY_EXE];

	return l->memory >= 0 && pread(l->memory, &byte, 1, (off_t)l->segment) == 0 &&
		procfs_exe(l->tracer->main->pid, exe, sizeof(exe)) == 0;
}

static void end(struct attach_loop *l, enum attach_end how)
{
	l->end = how;
	l->ended_ns = process_now();
}

static void end_by_exec(struct attach_loop *l)
{
	struct process *p = l->tracer->main;
	char text[FAMILY_EXE + 80], exe[FAMILY_EXE];

	end(l, ATTACH_EXEC);
	if (procfs_exe(p->pid, exe, sizeof(exe)))
		snprintf(exe, sizeof(exe), "another program");
	snprintf(text, sizeof(text), "the process executed %s: its trace ends there", exe);
	say("%s", text);
	process_exec(p, NULL);
	session_add_note(p->session, text);
	process_close(p, TRACE_END_DETACH, 0);
}

/* A parent of a vfork child, or one that another tracer holds, cannot be stopped now: later, then. */
static void try_to_detach(struct attach_loop *l)
{
	struct process *p = l->tracer->main;
	char reason[ATTACH_REASON];
	int rc = attach_unpatch(p->pid, l->tries < PATIENT_TRIES ? STOP_MS : 0, reason);

	if (rc == -ESRCH || has_executed(l)) {
		l->again_ns = process_now() + RETRY_NS;	/* the end or the exec will be noticed */
		return;
	}
	if (rc && ++l->tries < TRIES_MAX) {
		if (l->tries == 1)
			say("cannot detach yet: %s; trying again (Ctrl-C leaves that to the keeper process)", reason);
		l->again_ns = process_now() + RETRY_NS;
		return;
	}
	if (rc)
		say_error("cannot detach from process %d: %s", (int)p->pid, reason);
	end(l, rc ? ATTACH_STUCK : ATTACH_DETACHED);
	process_close(p, TRACE_END_DETACH, 0);
}

static void read_signals(struct attach_loop *l)
{
	struct signalfd_siginfo info;
	uint64_t now = process_now();

	while (signals_read(l->signals, &info) == 0) {
		if (info.ssi_signo == SIGTSTP)
			signals_mirror_stop(SIGTSTP);
		if (!signals_ends((int)info.ssi_signo))
			continue;
		if (l->end != ATTACH_GOES_ON && now - l->ended_ns > INTERRUPT_NS)
			l->interrupted = true;
		else if (l->wish && l->tries)
			l->tries = TRIES_MAX;
		l->wish = true;
	}
}

/* Nobody reads what goes to stdout, and it is kept nowhere. */
static bool is_vain(const struct process *p)
{
	return p->pump && pump_is_dead(p->pump);
}

static void look(struct attach_loop *l)
{
	struct process *p = l->tracer->main;
	uint64_t now = process_now();

	if (l->end != ATTACH_GOES_ON)
		return;
	if (p->closed) {
		end(l, ATTACH_GONE);
		return;
	}
	if (has_executed(l)) {
		end_by_exec(l);
		return;
	}
	l->loaded(l->owner);
	l->wish |= (l->until_ns && now >= l->until_ns) || is_vain(p);
	if (l->wish && now >= l->again_ns)
		try_to_detach(l);
}

static int timeout_ms(struct attach_loop *l)
{
	uint64_t least = tracer_watch(l->tracer), now = process_now();

	if (l->end == ATTACH_GOES_ON && LOOK_NS < least)
		least = LOOK_NS;
	if (l->end == ATTACH_GOES_ON && l->until_ns && l->until_ns < now + least)
		least = l->until_ns > now ? l->until_ns - now : 0;
	return least == UINT64_MAX ? -1 : (int)((least + 999999) / 1000000);
}

static bool is_over(const struct attach_loop *l)
{
	return l->interrupted || (l->end != ATTACH_GOES_ON && l->tracer->main->finished && !snapshot_is_busy(&l->tracer->snapshot));
}

void attach_loop_run(struct attach_loop *l)
{
	struct pollfd fds[] = {
		{ .fd = l->signals->fd, .events = POLLIN },
		{ .fd = l->tracer->bell, .events = POLLIN },
		{ .fd = l->tracer->poller, .events = POLLIN },
		{ .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 },
	};
	struct requests requests = {
		.tracer = l->tracer, .server = l->server, .near = l->near, .control = l->control,
		.answers = l->answers,
	};

	open_memory(l);
	l->until_ns = l->duration_ns ? process_now() + l->duration_ns : 0;
	while (!is_over(l)) {
		int n;

		requests_watch(&requests, fds + 3);
		n = poll(fds, 3 + REQUEST_FDS, timeout_ms(l));

		if (n > 0 && fds[0].revents)
			read_signals(l);
		if (n > 0 && fds[1].revents)
			tracer_read_mail(l->tracer);
		if (n > 0 && fds[2].revents)
			tracer_read_ends(l->tracer);
		if (n > 0)
			l->wish |= requests_answer(&requests, fds + 3);
		look(l);
	}
	if (l->memory >= 0)
		close(l->memory);
}
