/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All traced processes of a run: who connects, who forks, who ends.
 *
 * One main thread works on it (run.c).  What the drain thread has to tell arrives as mail, so
 * that neither waits for the other. */
#ifndef LAUNCHER_TRACER_H
#define LAUNCHER_TRACER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/vector.h"
#include "launcher/clock.h"
#include "launcher/door.h"
#include "launcher/heartbeat.h"
#include "launcher/launch.h"
#include "launcher/process.h"
#include "launcher/session.h"
#include "launcher/snapshot.h"

enum letter_kind { LETTER_FORK, LETTER_FAILED, LETTER_NOTE, LETTER_FINISHED };

struct letter {
	enum letter_kind kind;
	struct process *process;	/* may be NULL for a failure at the very start */
	char *text;			/* owned */
};

/* A guest whose own fork is still to be announced. */
struct waiting {
	struct door_guest guest;
	uint64_t since_ns;
};

/* Somebody who is about to execute, and will connect unless it cannot be traced. */
struct suspect {
	pid_t pid;
	uint32_t kind;			/* enum channel_note_kind */
	bool carries;			/* its environment has the session */
	uint64_t stamp;			/* ticks; it connects later */
	uint64_t since_ns;		/* when we heard of it */
	unsigned teller;		/* number of the process that told */
	char *path;			/* as it was given; owned */
};

struct tracer {
	const struct launch *launch;
	struct channel_settings settings;	/* with the clock filled in */
	struct clock clock;
	struct drain *drain;
	struct heartbeat *heartbeat;
	struct door door;
	struct process *main;			/* the one we started */
	struct family *main_family;		/* until its session is opened; NULL: could not be made */
	struct store_stream *stream;		/* all traces go there, main's output; NULL: each has a file */
	int stream_fd;
	_Atomic unsigned numbers;		/* processes met beside main */
	VECTOR_STRUCT(processes, struct process *) all;	/* main among them */
	size_t open;				/* of them not yet finished */
	bool go;				/* targets need not wait (any more) */
	bool let_go;				/* main's session was */
	bool detached;				/* all were let go, and nobody else is taken in */
	bool paused;				/* recording is, in all families */
	unsigned markers, answers;		/* so many were set, and told in the traces */
	struct snapshot snapshot;
	VECTOR_STRUCT(waiting_list, struct waiting) waiting;
	VECTOR_STRUCT(suspects, struct suspect) suspects;
	struct map connects;			/* pid -> clock ticks when it connected last */
	uint64_t looked_ns;			/* when tracer_expects_more looked last */
	bool expects;				/* and what it found */
	unsigned refused;			/* guests that were none of ours */

	pthread_mutex_t lock;			/* guards mail, told and names */
	struct map names;			/* pid -> outputs made for processes with it */
	VECTOR_STRUCT(letters, struct letter) mail;
	struct suspects told;			/* new ones, from the drain */
	int bell;				/* eventfd: there is mail; poll it */
	int poller;				/* epoll: pidfds of other traced processes */
};

/* Clock and door; no thread yet, so that the target can be forked.  0 or -errno. */
int tracer_init(struct tracer *tracer, const struct launch *launch);

/* Heartbeat and drain.  0 or -errno. */
int tracer_begin(struct tracer *tracer);

/* Every session must be finished (or none was made). */
void tracer_release(struct tracer *tracer);

/* Opens the output of the process that we are about to start and makes its channel, so that it need
 * not wait for that.  own_operators: as of target_facts.  Result and *path as of process_new. */
int tracer_prepare_main(struct tracer *tracer, pid_t pid, const char *comm, bool own_operators, char **path);

/* It executes: starts its session. */
void tracer_open_main(struct tracer *tracer);

/* The same two for a process that runs already: its output; then, with the segment that was mapped
 * into it, its session.  Its end is noticed as that of any process that is not our child. */
int tracer_prepare_attached(struct tracer *tracer, pid_t pid, char **path);
int tracer_open_attached(struct tracer *tracer, const struct segment *segment);

/* Another process of the run, with its output and its place in it.  0, or -errno and *path as of
 * process_new; then it has no output and is to be drained all the same.  Also on the drain thread. */
int tracer_new_process(struct tracer *tracer, struct process **process, pid_t pid, const char *comm,
		       char **path);

/* Nobody but main is traced any more; main lasts until it is let go, for the sake of its relatives. */
bool tracer_alone(const struct tracer *tracer);
void tracer_let_main_go(struct tracer *tracer);

/* A line on stderr if events of the process were lost. */
void tracer_tell_losses(const struct process *process);

/* All sessions are finished: completes a stream that they shared. */
void tracer_seal(struct tracer *tracer);

/* Everybody at the door. */
void tracer_answer_door(struct tracer *tracer);

/* What the drain thread said. */
void tracer_read_mail(struct tracer *tracer);

/* Processes whose pidfd says that they ended. */
void tracer_read_ends(struct tracer *tracer);

/* From now on no target waits for a viewer. */
void tracer_go(struct tracer *tracer);

/* Ends all that is still traced and lets it run; what it starts from then on is not traced. */
void tracer_detach(struct tracer *tracer);

/* With -f: some process may still claim a region that no session reads yet. */
bool tracer_expects_more(struct tracer *tracer);

/* Nanoseconds until it wants to be called again; UINT64_MAX: not on account of time. */
uint64_t tracer_watch(struct tracer *tracer);

#endif
