/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One traced process. */
#include "launcher/process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/behind.h"
#include "launcher/facts.h"

#define WISH_NS		50000000ull	/* how often a first wish for ranges is looked for */
#define WISHES_NS	20000000ull	/* and further ones */
#define RSS_SHARE	20		/* a sample may take 1/20 of the time */
#define UNCONNECTED_NS	1000000000ull	/* a new image connects within this, or never */
#define SINK_PATIENCE_MS 0		/* stdout or a pipe: wait as any program would */

uint64_t process_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

struct process *process_without_output(pid_t pid)
{
	struct process *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->pidfd = -1;
	output_none(&p->output);
	return p;
}

int process_new(struct process **result, const struct launch *launch, pid_t pid, const char *comm,
		unsigned child, char **path)
{
	struct process *p = process_without_output(pid);
	int rc;

	*path = NULL;
	if (launch->port && !launch->output && !launch->behind && !child)
		rc = output_spool(&p->output);
	else
		rc = output_open(&p->output, launch->output, launch->text, pid, comm, child, path);
	if (rc) {
		free(p);
		return rc;
	}
	free(*path);
	*path = NULL;
	if (launch->behind && !child && p->output.sink < 0) {
		p->output.sink = launch->behind->stream;
		launch->behind->stream = -1;
	}
	if (p->output.sink >= 0) {
		p->pump = pump_new(p->output.reader, p->output.sink);
		p->output.sink = -1;	/* the pump's now */
	}
	*result = p;
	return 0;
}

void process_open(struct process *p, const struct launch *launch, struct drain *drain,
		  const struct session_channel *channel, unsigned region, const struct process *root)
{
	struct facts facts;
	struct session_config config = {
		.pid = p->pid, .fd = p->stream ? -1 : p->output.fd, .exe = region ? p->exe : NULL,
		.stream = p->stream, .number = p->stream ? p->kin.number : 0,
		.lasts = launch->follow && p == root,
		.format = launch->text ? SESSION_TEXT : SESSION_MTK,
		.region = region, .channel = *channel, .symbols_from = launch->symbols_from,
	};

	facts_init(&facts, launch, p->pid, &p->kin);
	if (launch->follow)
		facts_add_kin(&facts, &p->kin, root->pid, p == root ? NULL : root->name, root->output.path);
	facts_add_writer(&facts, p->output.mark);
	config.facts = facts.items;
	config.fact_count = facts.count;
	p->family = channel->owner;
	p->region = p->family ? segment_region(&p->family->segment, region) : NULL;
	p->session = session_new(drain, &config);
	session_set_owner(p->session, p);
	facts_release(&facts);
}

static void renew_command(struct process *p)
{
	char *command = facts_command(p->pid);

	session_add_fact(p->session, "exe", p->exe);
	if (command)
		session_add_fact(p->session, "command", command);
	free(command);
}

void process_exec(struct process *p, struct family *family)
{
	struct session_channel channel;

	p->family = family;
	p->region = family ? segment_region(&family->segment, 0) : NULL;
	p->ranges = (struct ranges){ 0 };
	p->resident = (struct resident){ 0 };
	p->allocator_known = false;
	p->exe_changed_ns = 0;
	procfs_exe(p->pid, p->exe, sizeof(p->exe));
	procfs_comm(p->pid, p->name);
	if (family)
		channel = family_channel(family);
	session_exec(p->session, family ? &channel : NULL, p->exe);
	if (p->kin.number)	/* the first was typed by the user */
		renew_command(p);
}

static void sample_rss(struct process *p, unsigned interval_ms, uint64_t now)
{
	struct trace_rss rss = { 0 };
	uint64_t cost, pause = interval_ms * 1000000ull;

	if (procfs_rss(p->pid, &rss) == 0) {
		uint64_t hook = resident_own(p->region) / 1024;

		/* the kernel counts what the hook has reserved as stack (hook_reserve) */
		rss.stacks -= rss.stacks >= hook ? hook : 0;
		session_add_rss(p->session, &rss);
	}
	cost = process_now() - now;
	if (cost * RSS_SHARE > pause)
		pause = cost * RSS_SHARE;
	p->rss_due_ns = now + pause;
}

/* An exec that took the hook out of the environment shows only here. */
static void watch_image(struct process *p, uint64_t now)
{
	char exe[sizeof(p->exe)];

	if (!p->connected || p->attached || !p->family || procfs_exe(p->pid, exe, sizeof(exe)))
		return;
	if (strcmp(exe, p->exe) == 0)
		p->exe_changed_ns = 0;
	else if (!p->exe_changed_ns)
		p->exe_changed_ns = now;
	else if (now - p->exe_changed_ns > UNCONNECTED_NS)
		process_exec(p, NULL);
}

/* When it has been admitted: the program waits no longer.  The reader makes words of the facts, since
 * what the allocator passes on shows in the events alone. */
static void tell_allocator(struct process *p)
{
	if (p->allocator_known || !p->connected || p->attached || !*p->exe)
		return;			/* of an attached one all definitions are patched */
	p->allocator_known = true;
	allocator_find(&p->allocator, p->pid, p->exe);
	if (p->allocator.where == ALLOCATOR_LIBC && !p->allocator_told)
		return;
	p->allocator_told = true;
	session_add_fact(p->session, "allocator", p->allocator.name);
	session_add_fact(p->session, "allocator-in", allocator_where(&p->allocator));
}

uint64_t process_watch(struct process *p, unsigned rss_interval_ms, uint64_t now)
{
	uint64_t next = UINT64_MAX;

	if (p->closed || !p->session)
		return UINT64_MAX;
	tell_allocator(p);
	if (p->region && p->connected) {
		ranges_update(&p->ranges, p->region, p->pid, now);
		next = p->ranges.answered ? WISHES_NS : WISH_NS;
	}
	if (!rss_interval_ms)
		return next;
	if (p->region && p->connected) {
		uint64_t due = resident_watch(&p->resident, p->session, p->pid, p->region,
					      rss_interval_ms, now);

		if (due < next)
			next = due;
	}
	if (now >= p->rss_due_ns) {
		watch_image(p, now);
		sample_rss(p, rss_interval_ms, now);
	}
	if (p->rss_due_ns - now < next)
		next = p->rss_due_ns - now;
	return next;
}

void process_close(struct process *p, enum trace_end_how how, uint32_t value)
{
	if (p->closed)
		return;
	tell_allocator(p);
	p->closed = true;
	p->region = NULL;
	p->family = NULL;
	session_close(p->session, how, value);
}

void process_free(struct process *p)
{
	if (p->session)
		session_free(p->session);
	else if (p->output.fd >= 0)
		close(p->output.fd);
	if (p->pump)
		pump_finish(p->pump, SINK_PATIENCE_MS);
	if (p->pidfd >= 0)
		close(p->pidfd);
	output_release(&p->output);
	free(p->kin.parent_trace);
	free(p);
}
