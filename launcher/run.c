/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the command line's wish to the exit status. */
#include "launcher/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/allocator.h"
#include "launcher/behind.h"
#include "launcher/exit_code.h"
#include "launcher/loop.h"
#include "launcher/notice.h"
#include "launcher/preload.h"
#include "launcher/program_cache.h"
#include "launcher/result.h"
#include "launcher/say.h"
#include "launcher/serve.h"
#include "launcher/start.h"
#include "launcher/tracer.h"
#include "launcher/viewers.h"

#define HANDSHAKE_NS	1000000000ull

struct run {
	const struct launch *launch;
	struct signals signals;
	struct start start;
	struct preload preload;
	struct tracer tracer;
	struct server *server;
	struct near near;
	struct control control;
	struct target_facts facts;
	bool facts_known;
	char *reason;		/* why the program itself cannot be traced, or NULL */
	bool has_tracer;
};

static bool is_verb(const char *command)
{
	return !strcmp(command, "attach") || !strcmp(command, "detach") || !strcmp(command, "status");
}

/* Looks at the program before anything is made.  0, or the exit status. */
static int find_command(struct run *r)
{
	const char *command = r->launch->command[0];
	char path[TARGET_PATH_MAX];
	int rc = target_search(command, path);

	if (rc) {
		say_error("cannot run '%s': %s%s", command, strerror(-rc), rc == -ENOENT && is_verb(command) ?
			  "; of a running process: memtrack --pid PID attach, detach or status" : "");
		return rc == -ENOENT || rc == -ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
	}
	r->facts_known = target_inspect(path, &r->facts) == 0;
	if (r->facts_known)
		allocator_learn(&r->facts);
	return 0;
}

/* The environment, with the hook unless that would do harm.  0, or the exit status. */
static int prepare_environment(struct run *r)
{
	enum notice_verdict verdict = NOTICE_FINE;
	char *value;
	int rc;

	if (r->facts_known)
		verdict = notice_before(&r->facts, &r->reason);
	if (verdict == NOTICE_HARMFUL || (verdict == NOTICE_IGNORED && !r->launch->follow)) {
		r->start.env = start_environment(NULL, NULL);
		return 0;
	}
	rc = preload_find(&r->preload);
	if (rc) {
		say_error("cannot find memtrack.so beside memtrack or in " PKGLIBDIR
			  "; set MEMTRACK_HOOK to its path");
		return EXIT_FAILED;
	}
	rc = preload_prepare(&r->preload);
	if (rc) {
		say_error("cannot make a link to '%s' in a temporary directory: %s",
			  r->preload.hook, strerror(-rc));
		return EXIT_FAILED;
	}
	value = preload_value(&r->preload, getenv("LD_PRELOAD"));
	r->start.env = start_environment(value, r->tracer.door.name);
	free(value);
	return 0;
}

/* There is no channel for it, so the program shall not notice anything.  The child that waits reads r. */
static void leave_out_hook(struct run *r)
{
	char **env = r->start.env;

	r->start.env = start_environment(NULL, NULL);
	free(env);
}

/* The child that waits, and its output.  0, or the exit status. */
static int prepare_target(struct run *r)
{
	char *path = NULL;
	int rc;

	r->start.argv = r->launch->command;
	r->start.signals = &r->signals;
	rc = start_fork(&r->start);
	if (rc) {
		say_error("cannot start a process: %s", strerror(-rc));
		return EXIT_FAILED;
	}
	rc = tracer_begin(&r->tracer);
	if (rc) {
		say_error("cannot start a thread: %s", strerror(-rc));
	} else {
		rc = tracer_prepare_main(&r->tracer, r->start.pid, r->launch->command[0],
					 r->facts.own_operators, &path);
		if (rc)
			say_error("cannot write '%s': %s%s", path ? path : "a temporary file",
				  strerror(-rc), r->launch->output ? "" : "; -o FILE writes elsewhere");
		free(path);
	}
	if (!rc && !r->tracer.main_family)
		leave_out_hook(r);
	if (rc)
		start_cancel(&r->start);
	return rc ? EXIT_FAILED : 0;
}

/* Nothing was executed: no file stays that was not there before. */
static void remove_files(const struct run *r)
{
	const struct process *p = r->tracer.main;

	if (!p->output.path || r->launch->output)
		return;
	unlink(p->output.path);
	if (r->launch->behind && r->launch->behind->capture.path)
		unlink(r->launch->behind->capture.path);
}

/* The viewer is there, or nothing is started.  0, or the exit status. */
static int await_viewer(struct run *r)
{
	const struct process *p = r->tracer.main;
	char *path = NULL;
	int rc = -EINVAL;

	if (p->output.path)
		rc = behind_await_go(r->launch->behind, p->output.path, !r->launch->output, &path);
	if (rc == -EINVAL && !path)
		say_error("'%s' is no regular file: with --view the trace is kept in one", r->launch->output);
	else if (rc && rc != -ECANCELED)
		say_error("cannot write '%s': %s; -o FILE writes elsewhere", path, strerror(-rc));
	free(path);
	r->start.capture = &r->launch->behind->capture;
	if (!rc)
		return 0;
	start_cancel(&r->start);
	remove_files(r);
	return EXIT_FAILED;
}

static void add_hints(struct run *r)
{
	struct process *p = r->tracer.main;

	if (r->reason) {
		char text[512];

		snprintf(text, sizeof(text), "not traced: %s", r->reason);
		say("%s", text);
		session_add_note(p->session, text);
	}
}

static int undo_target(struct run *r, int rc)
{
	say_error("cannot run '%s': %s", r->launch->command[0], strerror(-rc));
	remove_files(r);
	return rc == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

static int trace(struct run *r, struct loop *loop)
{
	int rc = start_go(&r->start);

	if (rc)
		return undo_target(r, rc);
	if (r->launch->behind)
		behind_tell(r->launch->behind, BEHIND_STARTED);
	if (control_open(&r->control, getpid()))
		say_verbose("no control socket: memtrack --pid will not reach this one");
	tracer_open_main(&r->tracer);
	add_hints(r);
	*loop = (struct loop){
		.tracer = &r->tracer, .signals = &r->signals, .server = r->server,
		.behind = r->launch->behind, .near = &r->near, .control = &r->control,
		.pid = r->start.pid, .facts = &r->facts, .facts_known = r->facts_known,
		.notice_ns = r->reason ? 0 : process_now() + HANDSHAKE_NS,
	};
	loop_run(loop);
	if (!loop->interrupted)
		tracer_seal(&r->tracer);
	return exit_code_for_shell(loop->how, loop->value);
}

static void release(struct run *r)
{
	control_close(&r->control);
	near_close(&r->near);
	if (r->server)
		server_finish(r->server);
	if (r->has_tracer)
		tracer_release(&r->tracer);
	preload_release(&r->preload);
	if (r->launch->behind)
		behind_release(r->launch->behind);
	program_cache_end();
	free(r->start.env);
	free(r->reason);
}

int run(const struct launch *launch)
{
	struct run r = { .launch = launch, .control = { .listener = -1, .poller = -1 } };
	struct loop loop = { 0 };
	int status;

	near_open(&r.near, launch->behind ? launch->behind->stream : -1);
	if (launch->symbol_cache)
		program_cache_begin();
	status = find_command(&r);
	if (status)
		return status;
	start_raise_limits(&r.start.limits);
	if (signals_take(&r.signals) || tracer_init(&r.tracer, launch)) {
		say_error("cannot get ready: %s", strerror(errno));
		return EXIT_FAILED;
	}
	r.has_tracer = true;
	status = viewers_listen(launch, &r.server);
	if (!status)
		status = prepare_environment(&r);
	if (!status)
		status = prepare_target(&r);
	if (!status)
		status = viewers_serve(r.server, r.tracer.main->output.reader, r.tracer.go);
	if (!status && launch->behind)
		status = await_viewer(&r);
	if (!status) {
		status = trace(&r, &loop);
		if (launch->behind && launch->behind->started)
			behind_await_speech(launch->behind);
		if ((loop.ended || loop.left) && !loop.interrupted)
			result_tell(launch, r.tracer.main, r.server);
	}
	if (loop.interrupted) {		/* threads still work: leave them to exit() */
		control_close(&r.control);
		preload_release(&r.preload);
		_exit(status);
	}
	release(&r);
	/* A shell's loop goes on after an exit status of 130, not after a death by Ctrl-C. */
	if (loop.keyed && loop.how == TRACE_END_SIGNAL && loop.value == SIGINT)
		signals_die_of(SIGINT);
	return status;
}
