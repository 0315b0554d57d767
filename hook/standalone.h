/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook without a launcher: settings from MEMTRACK_* variables, the text log as output.
 *
 * Started without a session in its environment the hook makes the segment itself and consumes its
 * own events (hook/log.h).  Children are not traced: the hook takes itself out of their
 * environment, and a fork child records nothing; a program that this process executes itself goes
 * on with the same log. */
#ifndef HOOK_STANDALONE_H
#define HOOK_STANDALONE_H

#include <stdbool.h>
#include <stdint.h>

struct channel_header;
struct channel_thread;

/* Names the log for the image that this very process executes next. */
#define STANDALONE_ENV_RESUME	"MEMTRACK_RESUME"

/* Is this a process to be recorded so?  Not with a launcher's session in envp, reachable or not,
 * nor when the program runs with another user's rights. */
bool standalone_wanted(char **envp);

/* Opens the log, for a port waits for the viewer; the segment. NULL: the process is not recorded;
 * why has been said. */
struct channel_header *standalone_open(char **envp);

/* The region is there. False: no memory. */
bool standalone_begin(void);

/* The variable that lets the next image go on with this log. */
const char *standalone_resume_entry(void);

/* A stack was captured, and its frames are still on it: they get their names. */
void standalone_stack(struct channel_thread *t, uint32_t stack);

/* A thread's call has ended: call_end() leaves the rest to this. */
void standalone_call_end(struct channel_thread *t);

/* A thread ends, after its EXIT event. */
void standalone_thread_end(void);

/* A thread's ring is full. True: there may be room now; it may go beyond its share if *beyond.
 * False: the event is lost. */
bool standalone_make_room(bool *beyond);

/* This process is a fork child: the log is none of its business. */
void standalone_child(void);

/* The program is about to give up system calls: from now on the hook makes only those that it
 * cannot do without. */
void standalone_sandbox(void);
bool standalone_may_ask(void);

/* Before and after (it failed) executing another image in this process. */
void standalone_exec(void);
void standalone_exec_failed(void);

/* The process ends: all that is there goes out, and what still comes, at once. */
void standalone_ending(void);

#endif
