/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making, finding and ending traced processes. */
#include "launcher/allocator.h"
#include "launcher/tracer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/units.h"
#include "launcher/exit_code.h"
#include "launcher/mail.h"
#include "launcher/namespaces.h"
#include "launcher/orders.h"
#include "launcher/procfs.h"
#include "launcher/relatives.h"
#include "launcher/say.h"
#include "launcher/suspects.h"
#include "store/writer.h"

#define FORK_PATIENCE_NS	500000000ull
#define LOOK_NS			100000000ull

int tracer_init(struct tracer *t, const struct launch *launch)
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	t->launch = launch;
	t->stream_fd = -1;
	snapshot_init(&t->snapshot);
	t->go = !launch->port || launch->no_wait || launch->pid || launch->behind;
	clock_begin(&t->clock, launch->all_ticks);
	t->settings = launch->settings;
	t->settings.wait_start = !t->go;
	t->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->poller = epoll_create1(EPOLL_CLOEXEC);
	if (t->bell < 0 || t->poller < 0)
		return -errno;
	return door_open(&t->door);
}

int tracer_begin(struct tracer *t)
{
	struct drain_events events = mail_events(t);

	t->drain = drain_new(&t->clock, &events, t->launch->symbol_cache);	/* first: it has the clock to settle meanwhile */
	if (!t->drain)
		return -errno;
	return heartbeat_new(&t->heartbeat);
}

void tracer_release(struct tracer *t)
{
	snapshot_release(&t->snapshot);
	if (t->main && !t->main->session)	/* prepared, never opened: not among all */
		process_free(t->main);
	if (t->main_family)
		family_free(t->main_family);
	for (size_t i = 0; i < t->all.count; i++)
		process_free(t->all.items[i]);
	for (size_t i = 0; i < t->waiting.count; i++)
		door_refuse(&t->waiting.items[i].guest);
	vector_release(&t->waiting);
	vector_release(&t->all);
	if (t->drain)
		drain_free(t->drain);
	store_stream_free(t->stream);
	if (t->stream_fd >= 0)
		close(t->stream_fd);
	map_release(&t->names);
	map_release(&t->connects);
	suspects_release(t);
	if (t->heartbeat)
		heartbeat_free(t->heartbeat);
	door_close(&t->door);
	close(t->bell);
	close(t->poller);
	pthread_mutex_destroy(&t->lock);
}

static struct process *find(struct tracer *t, pid_t pid)
{
	for (size_t i = t->all.count; i-- > 0; )	/* pids are reused: the newest first */
		if (t->all.items[i]->pid == pid && !t->all.items[i]->closed)
			return t->all.items[i];
	return NULL;
}

static void close_process(struct tracer *t, struct process *p, enum trace_end_how how, uint32_t value)
{
	if (p->closed)
		return;
	if (p != t->main)
		relatives_tell(t, p, how, value);
	process_close(p, how, value);
}

static void watch_end(struct tracer *t, struct process *p)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = p };

	if (p != t->main)
		relatives_tell(t, p, 0, 0);
	if (p->pidfd < 0 && !p->lost)
		p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0 || epoll_ctl(t->poller, EPOLL_CTL_ADD, p->pidfd, &event) < 0)
		close_process(t, p, TRACE_END_UNKNOWN, 0);	/* gone already, unseen */
}

static int new_family(struct tracer *t, pid_t pid, bool own_operators, struct family **family)
{
	struct channel_settings settings = t->settings;
	int rc;

	settings.one_family = settings.findings && own_operators;
	rc = family_new(family, t->heartbeat, &settings, t->launch->follow, pid);
	if (rc) {
		say("process %d is not traced: cannot make its channel: %s%s", (int)pid, strerror(-rc),
		    rc == -EFBIG ? " (see ulimit -f)" : rc == -ENOMEM ? " (see ulimit -v)" : "");
		return rc;
	}
	if ((*family)->segment.shrunk)
		say_verbose("process %d: the channel is smaller than usual because of the address space limit",
			    (int)pid);
	atomic_store(&(*family)->segment.header->paused, t->paused);
	if (t->go)
		family_go(*family);
	return 0;
}

/* Of a process that runs already. */
static int new_family_now(struct tracer *t, pid_t pid, struct family **family)
{
	int rc = new_family(t, pid, t->settings.findings && allocator_own_operators(pid), family);

	drain_wait_clock(t->drain);
	if (!rc)
		family_set_clock(*family, t->clock.source);
	return rc;
}

static void add(struct tracer *t, struct process *p)
{
	vector_push(&t->all, p);
	t->open++;
	orders_join(t, p);
}

/* Starts its session, on its own family: without, the program runs untraced, and the trace says so. */
static void open_process(struct tracer *t, struct process *p, struct family *family)
{
	struct session_channel channel = { 0 };

	if (family)
		channel = family_channel(family);
	process_open(p, t->launch, t->drain, &channel, 0, t->main);
	if (!family)
		session_add_note(p->session, "not traced: the channel could not be made");
	add(t, p);
}

int tracer_prepare_main(struct tracer *t, pid_t pid, const char *comm, bool own_operators, char **path)
{
	const struct launch *launch = t->launch;
	struct process *p;
	int rc = process_new(&p, launch, pid, comm, 0, path);

	if (rc)
		return rc;
	p->kin = (struct kin){ .came = TRACE_CAME_START, .parent = getpid() };
	if (launch->follow && (launch->port || p->pump)) {
		t->stream_fd = p->output.fd;
		p->output.fd = -1;
		p->stream = t->stream = store_stream_new(t->stream_fd);
	}
	t->main = p;
	new_family(t, pid, own_operators, &t->main_family);
	return 0;
}

int tracer_new_process(struct tracer *t, struct process **process, pid_t pid, const char *comm,
		       char **path)
{
	struct process *p = NULL;
	unsigned nth;
	int rc = 0;

	*path = NULL;
	pthread_mutex_lock(&t->lock);
	nth = (unsigned)++*map_place(&t->names, (uint64_t)pid, NULL);
	pthread_mutex_unlock(&t->lock);
	if (!t->stream)
		rc = process_new(&p, t->launch, pid, comm, nth, path);
	if (!p)
		p = process_without_output(pid);
	p->stream = t->stream;
	p->kin.number = ++t->numbers;
	snprintf(p->name, sizeof(p->name), "%s", comm);
	*process = p;
	return rc;
}

void tracer_open_main(struct tracer *t)
{
	struct family *family = t->main_family;

	t->main_family = NULL;
	drain_wait_clock(t->drain);
	if (family)
		family_set_clock(family, t->clock.source);
	open_process(t, t->main, family);
}

int tracer_prepare_attached(struct tracer *t, pid_t pid, char **path)
{
	char comm[PROCFS_COMM];
	int rc;

	if (procfs_comm(pid, comm))
		return -ESRCH;
	rc = process_new(&t->main, t->launch, pid, comm, 0, path);
	if (rc)
		return rc;
	snprintf(t->main->name, sizeof(t->main->name), "%s", comm);
	procfs_state(pid, NULL, &t->main->kin.parent);
	return 0;
}

int tracer_open_attached(struct tracer *t, const struct segment *segment)
{
	struct process *p = t->main;
	struct family *family;
	int rc = family_adopt(&family, t->heartbeat, segment);

	if (rc)
		return rc;
	family_set_clock(family, t->clock.source);
	procfs_exe(p->pid, p->exe, sizeof(p->exe));
	strcpy(family->exe, p->exe);
	p->foreign = family->foreign = namespace_depth(p->pid, NULL) > 1;
	p->attached = p->connected = true;
	open_process(t, p, family);
	close(family->segment.fd);
	family->segment.fd = -1;
	watch_end(t, p);
	return 0;
}

/* A fork child has claimed a region, but its letter is still to come. */
static bool is_announced(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->all.count; i++) {
		const struct family *f = t->all.items[i]->family;
		uint32_t used = f ? atomic_load(&f->segment.header->regions_used) : 0;

		for (uint32_t n = 1; n < used && n < f->segment.region_count; n++)
			if ((pid_t)atomic_load(&segment_region(&f->segment, n)->pid) == pid)
				return true;
	}
	return false;
}

/* A process that is not known yet: a child that executed. */
static struct process *meet(struct tracer *t, pid_t pid)
{
	char comm[PROCFS_COMM], *path = NULL;
	struct family *family = NULL;
	struct process *p = NULL;
	int rc;

	if (!t->launch->follow || t->detached)
		return NULL;
	if (procfs_comm(pid, comm))
		strcpy(comm, "child");
	rc = tracer_new_process(t, &p, pid, comm, &path);
	if (rc)
		say("process %d is not recorded: cannot write '%s': %s", (int)pid,
		    path ? path : "a temporary file", strerror(-rc));
	free(path);
	procfs_state(pid, NULL, &p->kin.parent);
	relatives_describe(p, TRACE_CAME_EXEC, find(t, p->kin.parent));
	new_family_now(t, pid, &family);
	open_process(t, p, family);
	watch_end(t, p);
	return p->family ? p : NULL;
}

static bool may_enter(struct tracer *t, const struct door_guest *guest)
{
	uid_t own = geteuid();

	if (guest->pid <= 0)
		return false;
	if (guest->uid == own || guest->uid == 0)
		return true;
	return own == 0 && (find(t, guest->pid) || procfs_descends(guest->pid, t->main->pid));
}

static void admit(struct tracer *t, struct process *p, struct door_guest *guest)
{
	procfs_exe(p->pid, p->exe, sizeof(p->exe));
	procfs_comm(p->pid, p->name);
	strcpy(p->family->exe, p->exe);
	p->foreign = namespace_depth(p->pid, NULL) > 1;
	p->family->foreign = p->foreign;
	p->connected = true;
	map_put(&t->connects, (uint64_t)p->pid, clock_ticks(&t->clock));
	session_image_name(p->session, p->name);
	door_admit(guest, p->family->segment.fd, p->family->segment.life_fd);
	close(p->family->segment.fd);	/* fork children inherit the mapping */
	p->family->segment.fd = -1;
}

/* The process that a guest is (now), ready to be admitted; NULL: it is none of ours. */
static struct process *receive(struct tracer *t, const struct door_guest *guest)
{
	struct process *p = find(t, guest->pid);
	struct family *family;

	if (!may_enter(t, guest))
		return NULL;
	if (!p)
		return meet(t, guest->pid);
	if (!p->connected)
		return p->family ? p : NULL;
	if (new_family_now(t, p->pid, &family))
		return NULL;
	process_exec(p, family);
	return p;
}

static void answer(struct tracer *t, struct door_guest *guest)
{
	struct process *p = receive(t, guest);

	if (p) {
		admit(t, p, guest);
		return;
	}
	t->refused++;
	door_refuse(guest);
}

/* Guests whose own fork is not known yet come in when it is, or when they have waited enough. */
static void answer_waiting(struct tracer *t)
{
	uint64_t now = process_now();
	size_t kept = 0;

	for (size_t i = 0; i < t->waiting.count; i++) {
		struct waiting *w = &t->waiting.items[i];

		if (!find(t, w->guest.pid) && now - w->since_ns < FORK_PATIENCE_NS)
			t->waiting.items[kept++] = *w;
		else
			answer(t, &w->guest);
	}
	t->waiting.count = kept;
}

void tracer_answer_door(struct tracer *t)
{
	struct door_guest guest;

	tracer_read_mail(t);
	while (door_accept(&t->door, &guest) == 0) {
		if (!find(t, guest.pid) && is_announced(t, guest.pid)) {
			struct waiting w = { guest, process_now() };

			vector_push(&t->waiting, w);
		} else {
			answer(t, &guest);
		}
	}
}

/* Never silent: whoever reads the trace must know, and may not have asked for a report. */
void tracer_tell_losses(const struct process *p)
{
	struct session_counters counters = { 0 };
	char of[48] = "", lost[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];

	if (p->session)
		session_counters(p->session, &counters);
	if (p->kin.number)
		snprintf(of, sizeof(of), "process %d (%s): ", (int)p->pid, p->name);
	if (counters.lost)
		say("%s%s of %s events were lost: the trace's totals are lower bounds, its leaks uncertain", of,
		    format_count(lost, sizeof(lost), counters.lost),
		    format_count(all, sizeof(all), counters.lost + counters.events));
}

static void finished(struct tracer *t, struct process *p)
{
	p->finished = true;
	p->error = session_wait(p->session);
	t->open--;
	if (p == t->main)
		return;		/* its file is wanted for the report */
	for (size_t i = 0; i < t->all.count; i++) {
		if (t->all.items[i] == p) {
			t->all.items[i] = t->all.items[--t->all.count];
			break;
		}
	}
	tracer_tell_losses(p);
	if (p->output.path)
		say_verbose("trace of process %d in %s", (int)p->pid, p->output.path);
	process_free(p);
}

static void read_letter(struct tracer *t, struct letter *letter)
{
	switch (letter->kind) {
	case LETTER_FORK:
		add(t, letter->process);
		watch_end(t, letter->process);
		if (t->detached)
			close_process(t, letter->process, TRACE_END_DETACH, 0);
		break;
	case LETTER_FAILED:
	case LETTER_NOTE:
		say("%s", letter->text);
		break;
	case LETTER_FINISHED:
		finished(t, letter->process);
		break;
	}
	free(letter->text);
}

void tracer_read_mail(struct tracer *t)
{
	struct letters mail;
	uint64_t rings;

	if (read(t->bell, &rings, sizeof(rings)) < 0 && errno != EAGAIN)
		return;
	pthread_mutex_lock(&t->lock);
	mail = t->mail;
	memset(&t->mail, 0, sizeof(t->mail));
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < mail.count; i++)
		read_letter(t, &mail.items[i]);
	vector_release(&mail);
	answer_waiting(t);
}

void tracer_read_ends(struct tracer *t)
{
	struct epoll_event events[32];
	int n = epoll_wait(t->poller, events, 32, 0);

	for (int i = 0; i < n; i++) {
		struct process *p = events[i].data.ptr;
		enum trace_end_how how;
		uint32_t value;

		epoll_ctl(t->poller, EPOLL_CTL_DEL, p->pidfd, NULL);
		exit_code_of_other(p->pid, p->pidfd, &how, &value);
		close_process(t, p, how, value);
	}
}

void tracer_go(struct tracer *t)
{
	t->go = true;
	for (size_t i = 0; i < t->all.count; i++)
		if (t->all.items[i]->family)
			family_go(t->all.items[i]->family);
}

void tracer_detach(struct tracer *t)
{
	t->detached = true;
	for (size_t i = 0; i < t->all.count; i++)
		close_process(t, t->all.items[i], TRACE_END_DETACH, 0);
}

bool tracer_alone(const struct tracer *t)
{
	return t->open == (t->main->finished ? 0 : 1);
}

void tracer_let_main_go(struct tracer *t)
{
	if (!t->let_go && t->main->session)
		session_let_go(t->main->session);
	t->let_go = true;
}

void tracer_seal(struct tracer *t)
{
	if (t->stream && store_stream_finish(t->stream))
		say_verbose("the stream's index could not be written");
}

/* Claimed by a process that no session reads yet.  Who died while claiming will not come. */
static bool is_news(const struct segment *s, uint32_t i)
{
	const struct channel_region *r = segment_region(s, i);
	uint32_t state = atomic_load(&r->state);

	if (state == REGION_FREE || atomic_load(&s->heard[i]))
		return false;
	return state == REGION_READY || kill((pid_t)atomic_load(&r->pid), 0) == 0;
}

static bool has_news(const struct segment *s)
{
	uint32_t used = atomic_load(&s->header->regions_used);

	for (uint32_t i = 1; i < used && i < s->region_count; i++)
		if (is_news(s, i))
			return true;
	return false;
}

bool tracer_expects_more(struct tracer *t)
{
	uint64_t now = process_now();

	if (!t->launch->follow)
		return false;
	if (suspects_settle(t))
		return true;
	if (t->detached)
		return false;
	if (t->looked_ns && now - t->looked_ns < LOOK_NS)
		return t->expects;
	t->looked_ns = now;
	/* whoever claims a region and ends between the two is seen by the second */
	t->expects = heartbeat_any(t->heartbeat, segment_is_mapped) || heartbeat_any(t->heartbeat, has_news);
	return t->expects;
}

uint64_t tracer_watch(struct tracer *t)
{
	uint64_t now = process_now(), least = t->main->closed && tracer_alone(t) ? LOOK_NS : UINT64_MAX;

	if (t->waiting.count)
		answer_waiting(t);
	if (suspects_settle(t))
		least = LOOK_NS;
	for (size_t i = 0; i < t->all.count; i++) {
		uint64_t next = process_watch(t->all.items[i], t->launch->rss_interval_ms, now);

		if (next < least)
			least = next;
	}
	return least;
}
