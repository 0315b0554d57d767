/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --view, the process that traces: it stands behind the one that the shell knows (front.h), in a
 * session without a terminal, so that nothing which happens there stops or ends the tracing.
 *
 *	front  --- enum behind_order --->  behind
 *	front  <-- enum behind_news -----  behind */
#ifndef LAUNCHER_BEHIND_H
#define LAUNCHER_BEHIND_H

#include <stdbool.h>
#include <sys/types.h>

#include "launcher/capture.h"

#define BEHIND_MESSAGE_MAX 16384

/* One byte each.  Before GO an end of the line means that nothing is to be started. */
enum behind_order {
	BEHIND_GO = 'g',	/* the viewer is there: start the target */
	BEHIND_SPEAK = 's',	/* the terminal is free */
	BEHIND_DETACH = 'd',	/* the target is to go on untraced */
	BEHIND_HANGUP = 'h',	/* for the target and its process group: SIGHUP, ... */
	BEHIND_INTERRUPT = 'i',
	BEHIND_QUIT = 'q',
	BEHIND_TERMINATE = 't',
	BEHIND_KILL = 'k',
};

/* The first byte of a message. */
enum behind_news {
	BEHIND_READY = 'R',	/* followed by the path of the trace and that of the target's output ("":
				 * it has its own), each ended by a NUL */
	BEHIND_STARTED = 'S',
	BEHIND_ENDED = 'E',
};

struct behind {
	struct capture capture;
	int wire;		/* to the front; SOCK_SEQPACKET; -1: it is gone */
	int stream;		/* where the viewer reads the trace; -1 once it was handed on */
	int words;		/* a file that stands in for stderr while the viewer has the terminal */
	int voice;		/* the stderr we were started with */
	bool speaks;		/* it is in its place again */
	bool started;
};

/* In the forked process: leaves the terminal. */
void behind_enter(struct behind *behind);

/* The output of the target that is to be started is open: makes the file for what it will print and
 * waits for GO.  trace: path; fresh: nobody chose its name.  0, or -errno with *path the file that cannot
 * be made (to be freed), -ECANCELED when there is no viewer (nothing is to be said). */
int behind_await_go(struct behind *behind, const char *trace, bool fresh, char **path);

void behind_tell(struct behind *behind, enum behind_news news);

/* The next order (the line is readable); 0 when there is none or the front is gone. */
int behind_order(struct behind *behind);

/* The signal that an order passes on to the target; 0 for others. */
int behind_signal(int order);

/* Until the terminal is free; what is ordered meanwhile came too late. */
void behind_await_speech(struct behind *behind);

void behind_release(struct behind *behind);

#endif
