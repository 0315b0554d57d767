/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A drain with one session on an anonymous segment, and a forked producer. */
#ifndef TESTS_UNIT_DRAIN_FIXTURE_H
#define TESTS_UNIT_DRAIN_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "tests/tap.h"
#include "tests/unit/collect.h"
#include "tests/unit/producer.h"

struct fixture {
	struct clock clock;
	struct drain_events events;
	struct drain *drain;
	struct session *_Atomic session;	/* callbacks read it while it is made */
	struct session_channel channel;
	struct producer producer;
	int fd;			/* the output, for reading */
	pid_t child;
	enum session_format format;
	const char *output;	/* a path instead of a temporary file */
};

static inline int fixture_file(void)
{
	char path[] = "/tmp/drain-test-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	return fd;
}

/* f may have events, format and output set. */
static inline void fixture_open(struct fixture *f, uint32_t threads, uint32_t nodes, uint32_t chunks,
				uint32_t regions)
{
	clock_begin(&f->clock, false);
	clock_settle(&f->clock);
	f->channel = producer_channel(threads, nodes, chunks, regions);
	f->channel.settings.clock = f->clock.source;
	f->producer = producer_view(&f->channel, 0);
	f->fd = f->output ? open(f->output, O_RDWR) : fixture_file();
	f->events.owner = f;
	f->drain = drain_new(&f->clock, &f->events, false);
}

/* Runs body in a child; what it does to memory outside the segment stays there. */
static inline void fixture_fork(struct fixture *f, void (*body)(struct producer *p, void *argument), void *argument)
{
	int gate[2];
	char c;

	(void)!pipe(gate);
	fflush(stdout);
	f->child = fork();
	if (!f->child) {
		(void)!read(gate[0], &c, 1);
		f->channel.header->regions_used = 1;
		producer_claim(&f->producer);
		body(&f->producer, argument);
		_exit(0);
	}
	close(gate[0]);
	f->session = session_new(f->drain, &(struct session_config){
		.pid = f->child, .fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3), .format = f->format,
		.channel = f->channel });
	(void)!write(gate[1], "", 1);
	close(gate[1]);
}

/* Waits for the child, closes the session as the launcher does; the session's result. */
static inline int fixture_end(struct fixture *f)
{
	int status, rc;

	waitpid(f->child, &status, 0);
	if (WIFSIGNALED(status))
		session_close(f->session, TRACE_END_SIGNAL, (uint32_t)WTERMSIG(status));
	else
		session_close(f->session, TRACE_END_EXIT, (uint32_t)WEXITSTATUS(status));
	rc = session_wait(f->session);
	session_free(f->session);
	return rc;
}

static inline void fixture_close(struct fixture *f)
{
	drain_free(f->drain);
	producer_channel_free(&f->channel);
	close(f->fd);
}

/* All at once, for the usual case. */
static inline void fixture_run(struct fixture *f, uint32_t chunks, void (*body)(struct producer *, void *),
			       void *argument, struct collected *c)
{
	fixture_open(f, 64, 65536, chunks, 1);
	fixture_fork(f, body, argument);
	fixture_end(f);
	collect(c, f->fd);
	fixture_close(f);
}

/* What must be true of every trace, whatever the target did. */
static inline void fixture_rules(const struct collected *c, const char *what)
{
	ok(!c->damaged && c->ended, "%s: the file is whole and ended", what);
	ok(!c->foreign_stacks && !c->orphans && !c->nameless,
	   "%s: stacks, parents and names come before what uses them", what);
	is_int(c->end.events, c->events, "%s: END counts the events", what);
}

#endif
