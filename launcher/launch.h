/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user asked for: options.h makes it, run.h does it. */
#ifndef LAUNCHER_LAUNCH_H
#define LAUNCHER_LAUNCH_H

#include <stdbool.h>

#include "trace/channel.h"

enum launch_report { REPORT_AUTO, REPORT_YES, REPORT_NO };

/* Strings live as long as the program but where they say otherwise. */
struct launch {
	char **command;			/* argv of the target, ended by NULL */
	const char *output;		/* -o, or NULL */
	bool text;			/* --format text */
	bool all_ticks;			/* --ticks */
	const char *port;		/* --port, or NULL */
	bool no_wait;			/* do not wait for the first viewer */
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
