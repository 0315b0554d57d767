/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A traced process as the launcher's main thread keeps it: its output, its session, and what is
 * looked after from outside while it runs. */
#ifndef LAUNCHER_PROCESS_H
#define LAUNCHER_PROCESS_H

#include <sys/types.h>

#include "launcher/allocator.h"
#include "launcher/family.h"
#include "launcher/kin.h"
#include "launcher/launch.h"
#include "launcher/output.h"
#include "launcher/procfs.h"
#include "launcher/pump.h"
#include "launcher/ranges.h"
#include "launcher/resident.h"
#include "launcher/session.h"

struct process {
	pid_t pid;
	struct kin kin;			/* where it came from */
	char name[PROCFS_COMM];		/* what ran in it last, as the kernel names it */
	int pidfd;			/* -1: the started target, whose end wait() tells */
	_Atomic bool foreign;		/* it lives in another pid namespace */
	bool lost;			/* gone before it could be looked at; pid is its own number */
	bool connected;			/* its hook has asked for the segment */
	bool attached;			/* it ran before the trace began */
	bool closed;			/* session_close was called */
	bool finished;			/* its output is complete */
	int error;			/* of the output */
	char exe[FAMILY_EXE];		/* of the image that connected last */
	uint64_t exe_changed_ns;	/* since when /proc/PID/exe is another one, unconnected; 0 */
	struct session *session;
	struct store_stream *stream;	/* shared with others of the run; NULL: it has an output */
	struct family *family;		/* of the newest image; owned by the sessions */
	struct channel_region *region;	/* its region there */
	struct output output;
	struct pump *pump;		/* to output.sink */
	struct ranges ranges;
	uint64_t rss_due_ns;
	bool allocator_known, allocator_told;
	struct allocator allocator;	/* valid then */
	struct resident resident;	/* of the newest image */
};

/* Opens the output (child: as of output_open).  0, or -errno and *path is the name that could not
 * be opened, for the caller to free; *path is NULL on success. */
int process_new(struct process **process, const struct launch *launch, pid_t pid, const char *comm,
		unsigned child, char **path);

/* One without an output of its own. */
struct process *process_without_output(pid_t pid);

/* Starts its session on region `region` of a channel.  root: the process of the run with number 0. */
void process_open(struct process *process, const struct launch *launch, struct drain *drain,
		  const struct session_channel *channel, unsigned region, const struct process *root);

/* It executed another image and has connected anew; family NULL: the image is not traced. */
void process_exec(struct process *process, struct family *family);

/* Outside care: a sample of its memory when due, readable ranges when wanted.
 * Nanoseconds until it wants to be called again. */
uint64_t process_watch(struct process *process, unsigned rss_interval_ms, uint64_t now_ns);

void process_close(struct process *process, enum trace_end_how how, uint32_t value);

/* It has a session that is not closed yet. */
static inline bool process_is_traced(const struct process *process)
{
	return !process->closed && process->session;
}

/* Waits for the pump and frees a finished process with its session. */
void process_free(struct process *process);

/* CLOCK_MONOTONIC in ns. */
uint64_t process_now(void);

#endif
