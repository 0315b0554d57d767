/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drain's callbacks.  All run on the drain thread: they only open what a fork child needs,
 * and never write to the terminal, which may be stopped (Ctrl-S). */
#include "launcher/mail.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/namespaces.h"
#include "launcher/relatives.h"

static void ring(const struct tracer *t)
{
	const uint64_t one = 1;

	if (write(t->bell, &one, sizeof(one)) < 0) {
		/* it rings already */
	}
}

static void post(struct tracer *t, enum letter_kind kind, struct process *process, char *text)
{
	struct letter letter = { kind, process, text };

	pthread_mutex_lock(&t->lock);
	vector_push(&t->mail, letter);
	pthread_mutex_unlock(&t->lock);
	ring(t);
}

/* By which number we know a fork child that calls itself `pid`; 0: it is gone, or hidden.  One that
 * sees no parent is the first of another namespace. */
static pid_t our_number(struct family *family, pid_t pid, pid_t parent_pid)
{
	if (!family->foreign && parent_pid)
		return pid;
	family->foreign = true;
	return namespace_find(pid, family->segment.inode);
}

/* parent: the session of the process with that pid, or any other of the family. */
static struct session *begin(struct tracer *t, const struct session_channel *channel, unsigned region,
			     struct session *parent, pid_t pid, pid_t parent_pid)
{
	struct family *family = channel->owner;
	struct process *from = parent ? session_owner(parent) : NULL, *p;
	pid_t inner = pid;
	bool lost;
	char comm[PROCFS_COMM], *path = NULL;
	int rc;

	pid = our_number(family, pid, parent_pid);
	if (family->foreign && pid)
		procfs_state(pid, NULL, &parent_pid);
	lost = !pid;
	if (lost)
		parent_pid = 0;
	if (lost || (procfs_comm(pid, comm) && procfs_comm(parent_pid, comm)))
		strcpy(comm, "child");
	if (lost)
		pid = inner;
	rc = tracer_new_process(t, &p, pid, comm, &path);
	if (rc)
		post(t, LETTER_NOTE, NULL,
		     xasprintf("process %d is not recorded: cannot write '%s': %s", (int)pid,
			       path ? path : "a temporary file", strerror(-rc)));
	free(path);
	p->lost = lost;
	p->foreign = family->foreign;
	if (!lost)	/* at once: soon it may be waited for, and gone */
		p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	p->kin.parent = parent_pid;
	relatives_describe(p, TRACE_CAME_FORK, from && from->pid == parent_pid ? from : NULL);
	p->connected = true;
	strcpy(p->exe, family->exe);	/* it may have executed another since */
	process_open(p, t->launch, t->drain, channel, region, t->main);
	post(t, LETTER_FORK, p, NULL);
	return p->session;
}

static struct session *on_fork(void *owner, struct session *parent,
			       const struct session_channel *channel, unsigned region, pid_t pid,
			       pid_t parent_pid)
{
	struct tracer *t = owner;
	struct family *family = channel->owner;
	struct session *session = NULL;

	if (t->launch->follow && pid > 0)
		session = begin(t, channel, region, parent, pid, parent_pid);
	atomic_store(&family->segment.heard[region], true);
	return session;
}

static void on_failed(void *owner, struct session *session, int error)
{
	struct process *p = session_owner(session);
	const char *path = p && p->output.path ? p->output.path : "the trace";

	if (p && p->stream && p != ((struct tracer *)owner)->main)
		return;		/* main's session says it once */
	post(owner, LETTER_FAILED, p,
	     xasprintf("%s is cut off here: %s; the program goes on", path, strerror(abs(error))));
}

static void on_note(void *owner, struct session *session, const char *text)
{
	post(owner, LETTER_NOTE, session_owner(session), xstrdup(text));
}

static void on_told(void *owner, struct session *session, const struct channel_note *note)
{
	struct tracer *t = owner;
	struct process *p = session_owner(session);
	const struct suspect suspect = {
		.pid = (pid_t)note->pid, .kind = note->kind, .carries = note->carries, .stamp = note->stamp,
		.teller = p ? p->kin.number : 0, .path = xstrdup(note->path),
	};

	if (p && p->foreign) {		/* its numbers are not ours */
		free(suspect.path);
		return;
	}
	pthread_mutex_lock(&t->lock);
	vector_push(&t->told, suspect);
	pthread_mutex_unlock(&t->lock);
}

static void on_loaded(void *owner)
{
	ring(owner);
}

static void on_finished(void *owner, struct session *session)
{
	post(owner, LETTER_FINISHED, session_owner(session), NULL);
}

struct drain_events mail_events(struct tracer *tracer)
{
	return (struct drain_events){
		.fork = on_fork, .failed = on_failed, .note = on_note, .told = on_told, .loaded = on_loaded,
		.finished = on_finished,
		.owner = tracer,
	};
}
