/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words at the end of a trace. */
#include "launcher/result.h"

#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "launcher/behind.h"
#include "launcher/report.h"
#include "launcher/say.h"
#include "launcher/tracer.h"

static bool wants_report(const struct launch *launch)
{
	return launch->report == REPORT_YES ||
		(launch->report == REPORT_AUTO && isatty(STDERR_FILENO));
}

/* An empty trace without a word would pass for a program without a heap. */
static void tell_allocator(const struct process *p)
{
	const struct allocator *a = &p->allocator;

	if (!p->allocator_known)
		return;
	if (a->where == ALLOCATOR_PROGRAM)
		say("the program uses its own allocator (malloc resolves to %s): of its heap only brk and "
		    "mmap are visible, and what it passes on", a->name);
	else if (a->where == ALLOCATOR_INSIDE)
		say("the program has an allocator inside (%s) whose blocks are not visible", a->name);
	else if (a->where == ALLOCATOR_GO)
		say("a Go program: only what C libraries allocate is visible, and mmap");
}

static void tell_files(const struct launch *launch, const char *trace)
{
	say("trace in %s", trace);
	if (launch->behind && launch->behind->capture.path)
		say("output of the program in %s", launch->behind->capture.path);
}

void result_tell(const struct launch *launch, const struct process *p, const struct server *server)
{
	tell_allocator(p);
	tracer_tell_losses(p);
	if (wants_report(launch)) {
		setlocale(LC_CTYPE, "");	/* takes longer than many a session */
		report_print(p->output.reader, STDERR_FILENO);
	}
	/* A program's stderr stays its own where nobody looks and the name is known. */
	if (p->output.path && (!launch->output || strchr(launch->output, '%') ||
			       wants_report(launch) || isatty(STDERR_FILENO)))
		tell_files(launch, p->output.path);
	else if (!p->output.path && server && !server_viewers(server))
		say("no viewer came, and there was no -o: the trace is gone");
}
