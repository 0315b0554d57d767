/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From --pid to the exit status. */
#include "launcher/run_attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "launcher/attach.h"
#include "launcher/attach_loop.h"
#include "launcher/attached.h"
#include "launcher/doorbells.h"
#include "launcher/keeper.h"
#include "launcher/keeper_find.h"
#include "launcher/procfs.h"
#include "launcher/program_cache.h"
#include "launcher/result.h"
#include "launcher/run.h"
#include "launcher/say.h"
#include "launcher/start.h"
#include "launcher/viewers.h"

#define OPEN_NAP_NS	20000000L
#define OPEN_NAPS	100

struct run {
	const struct launch *launch;
	struct signals signals;
	struct start_limits limits;
	struct keeper keeper;
	struct control control;
	struct tracer tracer;
	struct server *server;
	struct near near;
	struct attachment *attachment;
	struct segment segment;		/* the family's once the session is open */
	struct attached attached;
	struct timespec since, begun;	/* by the calendar, and by the steady clock */
	uint32_t loads_answered;
	struct buffer added;		/* what was patched later, the last time: said once */
	bool has_tracer;
	bool lived;			/* when we came */
};

/* In a process that comes to its end one thing after the other cannot be found any more. */
static int refuse(const struct run *r, const char *reason)
{
	say_error("cannot attach to process %d: %s", (int)r->launch->pid,
		  r->lived && procfs_ended(r->launch->pid) ? "it has ended meanwhile" : reason);
	return EXIT_FAILED;
}

/* A thread's number is none of a process, although /proc has it. */
static int check_number(const struct run *r)
{
	char reason[ATTACH_REASON];
	pid_t process = procfs_process_of(r->launch->pid);

	if (!process || process == r->launch->pid)
		return 0;
	snprintf(reason, sizeof(reason), "it is a thread of process %d; give that number", (int)process);
	return refuse(r, reason);
}

static int refuse_second(const struct run *r)
{
	char reason[ATTACH_REASON];

	snprintf(reason, sizeof(reason), "memtrack (process %d) traces it already; memtrack --pid %d detach ends that",
		 (int)r->attached.launcher, (int)r->launch->pid);
	return refuse(r, reason);
}

/* A hook has one launcher. */
static int look_for_others(struct run *r)
{
	if (attached_find(r->launch->pid, &r->attached))
		return 0;	/* attach_open will say why */
	if (!r->attached.launcher) {
		keeper_wait(r->launch->pid);
		attached_find(r->launch->pid, &r->attached);
	}
	if (r->launch->pid == getpid() || r->attached.launcher == r->launch->pid)
		return refuse(r, "it is a memtrack itself");
	if (r->attached.launcher && r->attached.hook)
		return refuse_second(r);
	if (r->attached.preloaded && r->attached.inherited)
		return refuse(r, "the hook is in it since its parent was started under memtrack");
	if (r->attached.preloaded)
		return refuse(r, "it is traced by memtrack from its start");
	return 0;
}

/* One that was killed, or its keeper, may be about to let go. */
static int open_patiently(struct run *r, char reason[ATTACH_REASON])
{
	const struct timespec nap = { .tv_nsec = OPEN_NAP_NS };
	int rc = attach_open(&r->attachment, r->launch, reason);

	for (int naps = 0; rc == -EBUSY && naps < OPEN_NAPS && procfs_tracer_is(r->launch->pid, "memtrack"); naps++) {
		nanosleep(&nap, NULL);
		rc = attach_open(&r->attachment, r->launch, reason);
	}
	return rc;
}

/* Everything that can be found wrong before the process is touched. */
static int prepare(struct run *r)
{
	char reason[ATTACH_REASON], *path = NULL;
	int status, rc;

	if (open_patiently(r, reason))
		return refuse(r, reason);
	status = viewers_listen(r->launch, &r->server);
	if (status)
		return status;
	rc = tracer_prepare_attached(&r->tracer, r->launch->pid, &path);
	if (rc == -ESRCH && !path)
		return refuse(r, "there is no such process");
	if (rc)
		say_error("cannot write '%s': %s%s", path ? path : "a temporary file", strerror(-rc),
			  r->launch->output ? "" : "; -o FILE writes elsewhere");
	free(path);
	if (!rc) {
		rc = tracer_begin(&r->tracer);
		if (rc)
			say_error("cannot start a thread: %s", strerror(-rc));
	}
	return rc ? EXIT_FAILED : viewers_serve(r->server, r->tracer.main->output.reader, true);
}

/* Nothing was recorded: no file stays that was not there before. */
static void undo(struct run *r)
{
	struct process *p = r->tracer.main;

	if (!p)
		return;
	if (p->session) {
		process_close(p, TRACE_END_DETACH, 0);
		session_wait(p->session);
	}
	if (p->output.path && !r->launch->output)
		unlink(p->output.path);
}

static void add_facts(struct run *r)
{
	struct session *s = r->tracer.main->session;
	const char *missed = attach_missed(r->attachment);

	session_add_fact(s, "method", attach_method(r->attachment));
	session_add_fact(s, "patched", attach_patched(r->attachment));
	if (*missed) {
		session_add_fact(s, "unpatched", missed);
		session_add_note(s, missed);
	}
}

/* 0, or the exit status. */
static int attach(struct run *r)
{
	char reason[ATTACH_REASON];
	int rc;

	if (attach_enter(r->attachment, &r->segment, reason))
		return refuse(r, reason);
	drain_wait_clock(r->tracer.drain);
	rc = tracer_open_attached(&r->tracer, &r->segment);
	if (rc)
		return refuse(r, strerror(-rc));
	/* The segment is ours for all to see, so of two that attach at once not both go on. */
	attached_find(r->launch->pid, &r->attached);
	if (!r->attached.launcher)
		return refuse(r, "it ended or executed another program");
	if (r->attached.launcher != getpid())
		return refuse_second(r);
	if (attach_begin(r->attachment, reason))
		return refuse(r, reason);
	clock_gettime(CLOCK_REALTIME, &r->since);
	clock_gettime(CLOCK_MONOTONIC, &r->begun);
	add_facts(r);
	say("attached to process %d (%s), %s; Ctrl-C detaches", (int)r->launch->pid, r->tracer.main->name,
	    attach_method(r->attachment));
	if (*attach_missed(r->attachment))
		say("%s", attach_missed(r->attachment));
	return 0;
}

static uint64_t elapsed(const struct timespec *begun)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)(now.tv_sec - begun->tv_sec) * 1000000000ull + (uint64_t)now.tv_nsec - (uint64_t)begun->tv_nsec;
}

static void tell_status(void *owner, struct buffer *out)
{
	struct run *r = owner;
	const struct process *p = r->tracer.main;
	char when[40] = "", age[UNITS_TEXT_MAX], events[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];
	struct session_counters c;
	struct tm tm;

	session_counters(p->session, &c);
	if (localtime_r(&r->since.tv_sec, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	format_duration(age, sizeof(age), elapsed(&r->begun));
	buffer_printf(out, "traced by memtrack (process %d) since %s (%s)\n", (int)getpid(), when, age);
	buffer_printf(out, "method: %s\npatched: %s\n", attach_method(r->attachment),
		      attach_patched(r->attachment));
	if (*attach_missed(r->attachment))
		buffer_printf(out, "missed: %s\n", attach_missed(r->attachment));
	buffer_printf(out, "trace: %s, %s events, %s", p->output.path ? p->output.path :
		      r->server ? server_address(r->server) : "stdout",
		      format_count(events, sizeof(events), c.events), format_bytes(bytes, sizeof(bytes), c.bytes));
	if (c.lost)
		buffer_printf(out, ", %s lost", format_count(events, sizeof(events), c.lost));
}

static void answer_waiting(struct run *r, const struct attach_loop *loop)
{
	const struct process *p = r->tracer.main;
	char text[WIRE_CONTROL_PATH + FAMILY_EXE];

	snprintf(text, sizeof(text), "%s%s%s",
		 loop->end == ATTACH_GONE ? "the process has ended" :
		 loop->end == ATTACH_EXEC ? "the process executed another program" : "detached",
		 p->output.path ? "; trace in " : "", p->output.path ? p->output.path : "");
	if (loop->end == ATTACH_STUCK)
		control_tell(&r->control, false, "its functions could not be put back yet; memtrack's keeper goes on trying");
	else
		control_tell(&r->control, true, text);
}

static void patch_more(struct run *r)
{
	struct process *p = r->tracer.main;
	char reason[ATTACH_REASON];
	const char *added;

	if (attach_extend(r->attachment, &p->family->segment, &added, reason)) {
		say("%s", reason);
		session_add_note(p->session, reason);
	} else if (*added && strcmp(added, buffer_text(&r->added)) != 0) {
		buffer_clear(&r->added);
		buffer_append_string(&r->added, added);
		say_verbose("patched what was loaded: %s", added);
		session_add_fact(p->session, "patched later", added);
	}
}

/* Whoever loads something with an allocator in it waits for the answer. */
static void answer_loads(void *owner)
{
	struct run *r = owner;
	struct channel_region *region = segment_region(&r->tracer.main->family->segment, 0);
	uint32_t asked = atomic_load(&region->load_asked);

	if (asked == r->loads_answered)
		return;
	r->loads_answered = asked;
	patch_more(r);
	atomic_store(&region->load_answered, asked);
	doorbell_wake(&region->load_answered);
}

static int trace(struct run *r)
{
	struct attach_loop loop = {
		.tracer = &r->tracer, .signals = &r->signals, .control = &r->control,
		.answers = { .status = tell_status, .tracer = &r->tracer, .owner = r }, .server = r->server,
		.near = &r->near,
		.loaded = answer_loads, .owner = r, .duration_ns = r->launch->duration_ns,
		.segment = attach_segment(r->attachment),
	};

	attach_loop_run(&loop);
	if (loop.end == ATTACH_DETACHED)
		attach_idle(r->launch->pid);
	attach_unpatch_children(r->attached.stubs);
	if (loop.end == ATTACH_STUCK)
		keeper_leave(&r->keeper);
	else
		keeper_dismiss(&r->keeper);
	answer_waiting(r, &loop);
	control_close(&r->control);
	if (loop.interrupted)		/* threads still work: leave them to exit() */
		_exit(loop.end == ATTACH_STUCK ? EXIT_FAILED : 0);
	tracer_seal(&r->tracer);
	result_tell(r->launch, r->tracer.main, r->server);
	return loop.end == ATTACH_STUCK ? EXIT_FAILED : 0;
}

static void release(struct run *r)
{
	keeper_dismiss(&r->keeper);
	control_close(&r->control);
	near_close(&r->near);
	if (r->attachment)
		attach_close(r->attachment);
	if (r->server)
		server_finish(r->server);
	if (r->has_tracer)
		tracer_release(&r->tracer);
	buffer_release(&r->added);
	program_cache_end();
}

static int get_ready(struct run *r)
{
	if (r->launch->symbol_cache)
		program_cache_begin();
	start_raise_limits(&r->limits);
	if (signals_take(&r->signals) || tracer_init(&r->tracer, r->launch)) {
		say_error("cannot get ready: %s", strerror(errno));
		return EXIT_FAILED;
	}
	r->has_tracer = true;
	return 0;
}

int run_attach(const struct launch *launch)
{
	struct run r = { .launch = launch, .control = { .listener = -1, .poller = -1 } };
	int status, rc;

	near_open(&r.near, launch->heard ? STDOUT_FILENO : -1);
	r.lived = !procfs_ended(launch->pid);
	status = check_number(&r);
	if (!status)
		status = look_for_others(&r);
	if (status)
		return status;
	rc = keeper_start(&r.keeper, launch->pid);
	if (rc)
		return refuse(&r, rc == -ESRCH ? "there is no such process" : strerror(-rc));
	status = get_ready(&r);
	if (!status)
		status = prepare(&r);
	if (!status) {
		rc = control_open(&r.control, launch->pid);
		if (rc)
			say_verbose("no control socket: %s", strerror(-rc));
		status = attach(&r);
	}
	if (status)
		undo(&r);
	else
		status = trace(&r);
	release(&r);
	return status;
}
