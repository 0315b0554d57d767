/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A traced process and its output, and the drain that serves all of them.
 *
 *   segment of the family          drain (one thread)                 symboliser (low priority)
 *   region 0 --- session A  ---->  copies, checks, encodes, writes --> file A  <-- symbols
 *   region 1 --- session B  ---->                                  --> file B
 *
 * The launcher's main thread makes sessions and tells them what happens to their process; all
 * calls below return at once but for session_wait and drain_free.  A process that executes a new
 * image keeps its session (session_exec); a fork child that claims a region becomes a session of
 * its own through drain_events.fork.
 *
 * Invariants
 *  - Only the drain thread reads channels and writes outputs; nothing a target, a viewer or a
 *    full disk does makes it wait for them.
 *  - When an output fails, its session goes on draining into nothing, so that the target lives.
 */
#ifndef LAUNCHER_SESSION_H
#define LAUNCHER_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "launcher/clock.h"
#include "trace/channel.h"
#include "trace/format.h"

struct drain;
struct session;
struct store_stream;

enum session_format { SESSION_MTK, SESSION_TEXT };

/* A mapped segment.  The numbers are the launcher's own, as it wrote them into the header before
 * the target saw it: what stands there later is the target's to scribble on. */
struct session_channel {
	struct channel_header *header;
	uint64_t segment_bytes, region_offset, region_bytes;
	uint32_t region_count;
	uint32_t nodes_max, chunks_max, threads_max;
	struct channel_settings settings;
	void (*release)(void *owner);	/* nobody reads the mapping any more; may be NULL; on the drain thread */
	void (*returned)(void *owner, unsigned region); /* a region's process is gone, it will be given
							  * to another; may be NULL; on the drain thread */
	void *owner;			/* for both: usually the struct segment */
};

struct session_fact {
	const char *key, *value;	/* keys: see struct trace_fact */
};

/* Everything is copied by session_new but fd, which the session owns and closes. */
struct session_config {
	pid_t pid;			/* as the launcher sees it */
	const char *exe;		/* path of the image that runs on the channel; NULL: what /proc says
					 * now (a fork child may have executed another one since) */
	int fd;				/* output, an empty regular file (a pipe that is read slowly would hold
					 * the drain up); -1: drain into nothing */
	struct store_stream *stream;	/* fd -1: the trace goes there, with others'; or NULL */
	unsigned number;		/* of the session in that stream */
	bool lasts;			/* the output stays open behind END until session_let_go */
	enum session_format format;
	unsigned region;		/* index inside the channel: 0 unless drain_events.fork says so */
	struct session_channel channel;
	const struct session_fact *facts;
	size_t fact_count;
	const char *symbols_from;	/* extra directory for debug files, or NULL */
	bool no_symbols;		/* leave SYMBOLS out */
};

/* What the launcher's owner is told.  All are called on the drain thread, without any lock of
 * the drain held, and may be NULL. */
struct drain_events {
	/* A fork child claimed `region` of the parent's channel.  pid is the one its own pid
	 * namespace knows (0 when not told yet).  To trace it: open its output and return
	 * session_new(drain, &config) with config.channel = *channel and config.region = region;
	 * watch its end and session_close it.  NULL: its events are drained and dropped. */
	struct session *(*fork)(void *owner, struct session *parent, const struct session_channel *channel,
				unsigned region, pid_t pid, pid_t parent_pid);
	/* The output cannot be written any more (once per session): error is -ENOSPC and so on. */
	void (*failed)(void *owner, struct session *session, int error);
	/* A warning worth a line on stderr; also in the trace as a NOTE. */
	void (*note)(void *owner, struct session *session, const char *text);
	/* With -f: a child, or the session's process itself, executes something or could not be
	 * traced (see struct channel_note, of which this is a copy with a terminated path). */
	void (*told)(void *owner, struct session *session, const struct channel_note *note);
	/* An attached process has loaded something and asks for a look at it (struct channel_region). */
	void (*loaded)(void *owner);
	/* END is written and the output closed; the session waits for session_free. */
	void (*finished)(void *owner, struct session *session);
	void *owner;
};

/* What a session did so far; may be read at any time. */
struct session_counters {
	uint64_t events;	/* written */
	uint64_t bytes;		/* of output, compressed */
	uint64_t lost;		/* counted by the hook, or unreadable */
	uint64_t stalls;	/* times a thread of the target had to wait for the drain */
	uint64_t threads;	/* seen so far */
	uint64_t modules;
	uint64_t stacks;	/* nodes of the stack table */
	uint64_t children;	/* not traced */
	uint64_t exits;		/* EXIT events, that is ended threads */
	int error;		/* of the output: 0 or -errno */
};

/* Start the drain's threads (drain, symboliser).  clock has begun and must outlive the drain, which
 * settles and refines it.  All signals are blocked in both.  NULL with errno when no thread can be had.
 * symbol_cache: use and keep up the user's (launcher/symbol_cache.h). */
struct drain *drain_new(struct clock *clock, const struct drain_events *events, bool symbol_cache);

/* Until the clock is settled. */
void drain_wait_clock(struct drain *d);

/* Open sessions are abandoned without END.  Waits for both threads. */
void drain_free(struct drain *d);

/* Take over config->fd and start reading the channel.  Never NULL. */
struct session *session_new(struct drain *d, const struct session_config *config);

/* The user's word, kept for the launcher: the drain does not look at it. */
void session_set_owner(struct session *s, void *owner);
void *session_owner(const struct session *s);
pid_t session_pid(const struct session *s);

/* A sample of resident memory, in kilobytes; rss->stamp is filled in here. */
void session_add_rss(struct session *s, const struct trace_rss *rss);

/* The time now, for the stamp of a sample that takes a while. */
uint64_t session_ticks(const struct session *s);

/* A sample of resident pages; its stamp is of session_ticks(), and packed.data, from malloc, is
 * the session's from now on. */
void session_add_resident(struct session *s, const struct trace_resident *resident);

/* A fact that became known later; the newest of a key holds. */
void session_add_fact(struct session *s, const char *key, const char *value);

/* A warning for people, put into the trace (and not said again through drain_events.note). */
void session_add_note(struct session *s, const char *text);

/* A moment to be found again, that of a snapshot, and that recording was paused or goes on, as of `ticks`
 * (session_ticks): written when all events up to then are, or a second later.  Of a snapshot the fact "named" follows,
 * when the functions of these have been named. */
void session_add_marker(struct session *s, uint64_t ticks, const char *name);
void session_add_snapshot(struct session *s, uint64_t ticks, unsigned number);
void session_add_pause(struct session *s, uint64_t ticks, bool paused);

/* The same moment as the session's trace writes it, in quanta or, of a text log, microseconds. */
uint64_t session_stamp(const struct session *s, uint64_t ticks);

/* A child that is not traced (more than the hook itself counted). */
void session_add_child(struct session *s, pid_t pid, const char *name, const char *reason);

/* Another process of the run, as it is now.  Of a session that lasts, also behind its END. */
void session_add_relative(struct session *s, const struct trace_relative *relative);

/* Nothing more will be added to a session that lasts: it may finish. */
void session_let_go(struct session *s);

/* The kernel says that this thread (tid as the target's pid namespace knows it) is gone: its
 * slot goes back once all its events are read.  The drain finds out by itself too, within about
 * a second; this is faster. */
void session_thread_gone(struct session *s, pid_t tid);

/* The kernel's name of the process, read while the image that connects still waits for its channel: its threads may be
 * asked for their names only when it has executed another one.  Copied. */
void session_image_name(struct session *s, const char *name);

/* The same process executes a new image and has connected anew: everything published in the old
 * segment is taken, an EXEC record written, and the session goes on with the new one.
 * exe: path of the new image, copied.  NULL channel: the image will not be traced. */
void session_exec(struct session *s, const struct session_channel *channel, const char *exe);

/* The process is gone (exit status or signal in value) or tracing ends (TRACE_END_DETACH): take
 * what is published, complete the symbols, write END, close the output.  Returns at once. */
void session_close(struct session *s, enum trace_end_how how, uint32_t value);

/* Wait until a closed session is finished.  0, or -errno of its output. */
int session_wait(struct session *s);

void session_counters(const struct session *s, struct session_counters *out);

/* Free a finished session (session_wait or drain_events.finished told so). */
void session_free(struct session *s);

#endif
