/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user asked for: options.h makes it, run.h does it. */
#ifndef LAUNCHER_LAUNCH_H
#define LAUNCHER_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "trace/channel.h"
#include "wire/command.h"

enum launch_report { REPORT_AUTO, REPORT_YES, REPORT_NO };

/* What to do: run a command, or with --pid one of the verbs. */
enum launch_verb { VERB_RUN, VERB_ATTACH, VERB_DETACH, VERB_STATUS, VERB_ORDER };

/* How the hook gets into a running process. */
enum launch_inject { INJECT_AUTO, INJECT_DLOPEN, INJECT_MAP };

struct behind;

/* Strings live as long as the program but where they say otherwise. */
struct launch {
	enum launch_verb verb;
	char **command;			/* argv of the target, ended by NULL; empty with --pid */
	pid_t pid;			/* --pid, or 0 */
	struct wire_command order;	/* of VERB_ORDER */
	uint64_t duration_ns;		/* --duration; 0: until somebody ends it */
	enum launch_inject inject;
	const char *output;		/* -o, or NULL */
	bool text;			/* --format text */
	bool all_ticks;			/* --ticks */
	const char *port;		/* --port, or NULL */
	bool no_wait;			/* do not wait for the first viewer */
	bool view;			/* --view */
	struct behind *behind;		/* this is the process that traces for it (launcher/behind.h), or NULL */
	bool heard;			/* commands come on standard output (launcher/near.h) */
	bool follow;			/* -f */
	enum launch_report report;
	unsigned rss_interval_ms;	/* 0: no samples */
	const char *symbols_from;	/* or NULL */
	bool symbol_cache;
	char *described;		/* the options as text, for the trace's facts; to be freed */
	struct channel_settings settings;	/* clock and wait_start are filled in later */
};

/* Exit statuses of our own, as those of env and timeout. */
#define EXIT_FAILED		125
#define EXIT_CANNOT_EXECUTE	126
#define EXIT_NOT_FOUND		127

#endif
