/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the drain's sources share: the drain, its channels, the inside of a session.
 *
 * session.c   the launcher's calls: they only leave commands behind
 * drain.c     the thread: sleeping, channels, fork children
 * pass.c      one pass over a session: events, stacks, modules, order
 * ending.c    exec, close, the last records
 * regions.c   regions given back to the family
 * marks.c     markers and pauses, in their place among the events
 *
 * Everything in a session belongs to the drain thread but what is marked. */
#ifndef LAUNCHER_DRAIN_H
#define LAUNCHER_DRAIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/vector.h"
#include "launcher/marks.h"
#include "launcher/module_table.h"
#include "launcher/region.h"
#include "launcher/session.h"
#include "launcher/sink.h"
#include "launcher/stack_reader.h"
#include "launcher/symbolise.h"

/* A mapped segment; lives while a session reads a region of it, and a while longer when fork
 * children may still turn up. */
struct drain_channel {
	struct drain_channel *next;
	struct session_channel channel;
	unsigned users;
	uint64_t unused_since_ns;
	uint32_t doorbell;		/* as read before the pass */
	bool *known;			/* by region: has its session, or is dropped */
};

enum command_kind {
	COMMAND_RSS, COMMAND_RESIDENT, COMMAND_FACT, COMMAND_NOTE, COMMAND_CHILD, COMMAND_GONE, COMMAND_EXEC, COMMAND_CLOSE,
	COMMAND_RELATIVE, COMMAND_LET_GO, COMMAND_NAME, COMMAND_MARKER, COMMAND_PAUSE,
};

struct command {
	enum command_kind kind;
	uint32_t number, value;		/* tid, pid or how; value, or paused */
	uint64_t stamp;			/* ticks, of a marker or pause */
	char *key, *text;
	struct trace_rss rss;		/* its stamp in ticks */
	struct trace_resident resident;	/* the same; its pages are in text */
	struct trace_relative relative;	/* its name is text, its file key */
	bool has_channel;
	struct session_channel channel;
};

enum session_state { SESSION_RUNNING, SESSION_SYMBOLS, SESSION_ENDED, SESSION_FINISHED };

struct session {
	struct session *next;
	struct drain *drain;
	pid_t pid;
	void *owner;			/* the launcher's */
	int fd;
	struct store_stream *stream;	/* instead of fd, or NULL */
	unsigned number;
	bool lasts;			/* stays SESSION_ENDED until it is let go */
	enum session_format format;
	bool no_symbols, discard;	/* discard: made by the drain for a region nobody wants */
	char *symbols_from;
	_Atomic int state;		/* enum session_state */

	VECTOR_STRUCT(commands, struct command) commands;	/* under the drain's lock */

	struct drain_channel *channel;	/* NULL: nothing to read */
	unsigned region_index;
	struct session_channel first_channel;	/* from session_new, until the drain adopts it */
	char *exe;
	char *name;			/* the kernel's, of the image when it began; NULL: not known */

	struct region region;		/* valid with channel */
	struct stack_reader stacks;
	struct module_table *modules;
	VECTOR(struct module_table *) retired;	/* of images before an exec: their files are in use */
	uint32_t thread_serials, module_serials, stack_base;
	uint64_t base_ticks;
	bool base_fixed;		/* it is the hook's start */
	unsigned shift;

	struct sink *sink;		/* NULL: dropped */
	bool dirty;			/* something was put since the last flush */
	struct symbol_queue *symbols;	/* NULL: none wanted */
	struct buffer encoded;

	uint64_t newest_stamp, synced;	/* quanta */
	uint64_t synced_ns, flushed_ns, watched_ns, swept_ns, passed_ns;
	uint32_t children_seen, loads_seen;
	bool stop_said;
	struct mark_queue marks;
	struct trace_end end;

	/* Read by anyone. */
	_Atomic uint64_t events, bytes, lost, stalls, threads, module_count, stack_count, children, exits;
	_Atomic int error;
	_Atomic uint64_t clock_base, clock_mult; /* of the CLOCK record that holds */
};

struct drain {
	struct clock *clock;
	struct drain_events callbacks;
	pthread_t thread;
	pthread_mutex_t lock;		/* incoming, commands, waiting for ends */
	pthread_cond_t finished;	/* a session is, or the clock is settled */
	bool settled;			/* the clock */
	struct session *incoming;
	_Atomic uint32_t bell;		/* futex: commands, symbols, end */
	_Atomic bool ending;

	struct session *sessions;
	struct drain_channel *channels;
	struct batch batch;
	struct symbol_files *files;
	struct symboliser *symboliser;
	uint64_t now_ns, now_ticks, bound_ticks;
	uint64_t refined_ns, active_ns;
	bool unsteady;			/* the clock's failure was said */
};

/* drain.c */
void drain_ring(struct drain *d);
/* Takes in the fork children of a channel that were not seen yet. */
void drain_watch(struct drain *d, struct drain_channel *channel);
struct drain_channel *drain_channel_get(struct drain *d, const struct session_channel *channel);
void drain_channel_put(struct drain *d, struct drain_channel *c);

/* regions.c: the process of a region is gone, and read to its end: another may have the region. */
void regions_give_back(struct drain_channel *c, unsigned index);
void drain_clock_check(struct drain *d);

/* session.c */
void session_destroy(struct session *s);

/* pass.c */
void session_open(struct session *s);
void session_attach(struct session *s, const struct session_channel *channel);
void session_detach(struct session *s, bool gone);	/* gone: nobody writes there any more */
size_t session_pass(struct session *s);
void session_put(struct session *s, enum trace_kind kind, const void *value);
void session_put_fact(struct session *s, const char *key, const char *value);
void session_put_note(struct session *s, const char *text, bool say);
void session_put_symbols(struct session *s);
void session_failed(struct session *s, int rc);

/* marks.c: those that all events up to their stamp have been written before; at a final pass all of them. */
void session_put_marks(struct session *s);
/* Says so when the functions of all stacks before a snapshot's marker have been named, if that is waited for. */
void session_put_named(struct session *s);

/* ending.c */
void session_commands(struct session *s);
/* The name of the image that is about to be read, which is not to wait behind it. */
void session_take_name(struct session *s);
bool session_finish(struct session *s);
void session_dissolve(struct session *s);

/* thread_watch.c: finds threads that the kernel has no more.  all: not only those with EXIT. */
void thread_watch(struct region *r, pid_t pid, bool all);

#endif
