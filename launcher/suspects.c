/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling who was not traced. */
#include "launcher/suspects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "launcher/holders.h"
#include "launcher/notice.h"
#include "launcher/say.h"
#include "symbols/living.h"
#include "symbols/target.h"

#define PATIENCE_NS	1000000000ull	/* a new image connects within this, or never */

static struct process *by_number(struct tracer *t, unsigned number)
{
	for (size_t i = 0; i < t->all.count; i++)
		if (t->all.items[i]->kin.number == number)
			return t->all.items[i];
	return NULL;
}

static bool is_alive(pid_t pid)
{
	return living_thread(pid) != 0;
}

/* 0 and the file that is executed, or -errno: that cannot have gone well. */
static int find_file(const struct suspect *s, char path[TARGET_PATH_MAX])
{
	char folder[64];

	if (!strchr(s->path, '/') || s->path[0] == '/')
		return target_search(s->path, path);
	snprintf(folder, sizeof(folder), "/proc/%d/cwd", (int)living_proc(s->pid));
	if (snprintf(path, TARGET_PATH_MAX, "%s/%s", folder, s->path) < (int)TARGET_PATH_MAX &&
	    target_search(path, path) == 0)
		return 0;
	return target_search(s->path, path);
}

/* NULL: it was not executed at all. */
static char *find_reason(const struct suspect *s)
{
	char path[TARGET_PATH_MAX], *reason = NULL;
	struct target_facts facts;

	if (s->kind == NOTE_NO_ROOM)
		return xasprintf("more than %u processes of its family at once", SEGMENT_REGIONS_FOLLOW);
	if (*s->path && find_file(s, path))
		return is_alive(s->pid) ? xstrdup("its file is gone") : NULL;
	if (!s->carries)
		return xstrdup("its environment was cleared, or LD_PRELOAD changed");
	if (*s->path && target_inspect(path, &facts) == 0 && notice_before(&facts, &reason) != NOTICE_FINE)
		return reason;
	return xstrdup("the hook was not heard of: its environment was cleared, or it cannot reach the "
		       "launcher's socket (another network namespace)");
}

static void tell(struct tracer *t, const struct suspect *s, const char *reason)
{
	struct process *teller = by_number(t, s->teller), *p = by_number(t, 0);
	const char *slash = strrchr(s->path, '/'), *name = slash && slash[1] ? slash + 1 : s->path;

	if (!*name)
		name = s->kind == NOTE_NO_ROOM ? "(fork)" : "(fexecve)";
	say_verbose("process %d is not traced: %s", (int)s->pid, reason);
	if (p && p->pid == s->pid && !p->closed) {
		char *text = xasprintf("it executed '%s', which is not traced: %s", s->path, reason);

		session_add_note(p->session, text);
		free(text);
		return;
	}
	if (teller && teller != t->main && !teller->closed)
		session_add_child(teller->session, s->pid, name, reason);
	if (t->main->session)
		session_add_child(t->main->session, s->pid, name, reason);
}

static bool holds_segment(struct tracer *t, pid_t pid)
{
	uint64_t inodes[HEARTBEAT_HOLDS];

	return holders_holds(pid, inodes, heartbeat_inodes(t->heartbeat, inodes, HEARTBEAT_HOLDS));
}

/* The process is one of ours, or descends from one. */
static bool knows(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->all.count; i++)
		if (t->all.items[i]->pid == pid || procfs_descends(pid, t->all.items[i]->pid))
			return true;
	return false;
}

/* True when nothing is to be waited for any more. */
static bool settle(struct tracer *t, const struct suspect *s, uint64_t now)
{
	uint64_t connected = 0;
	char *reason;

	if (map_get(&t->connects, (uint64_t)s->pid, &connected) && connected >= s->stamp)
		return true;
	if (s->kind != NOTE_NO_ROOM && is_alive(s->pid)) {
		if (!knows(t, s->pid))
			return true;	/* somebody else's number: it is in a pid namespace */
		if (now - s->since_ns < PATIENCE_NS)
			return false;
		if (holds_segment(t, s->pid))
			return true;	/* it goes on as what it was */
	}
	reason = find_reason(s);
	if (reason)
		tell(t, s, reason);
	free(reason);
	return true;
}

/* Whoever tells anew has not executed what it told before. */
static void adopt(struct tracer *t, struct suspect *s)
{
	size_t i = 0;

	while (i < t->suspects.count && t->suspects.items[i].pid != s->pid)
		i++;
	if (i == t->suspects.count) {
		vector_push(&t->suspects, *s);
	} else {
		free(t->suspects.items[i].path);
		t->suspects.items[i] = *s;
	}
}

static void read_told(struct tracer *t, uint64_t now)
{
	struct suspects told;

	pthread_mutex_lock(&t->lock);
	told = t->told;
	memset(&t->told, 0, sizeof(t->told));
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < told.count; i++) {
		told.items[i].since_ns = now;
		adopt(t, &told.items[i]);
	}
	vector_release(&told);
}

bool suspects_settle(struct tracer *t)
{
	uint64_t now = process_now();
	size_t kept = 0;

	read_told(t, now);
	for (size_t i = 0; i < t->suspects.count; i++) {
		struct suspect s = t->suspects.items[i];

		if (settle(t, &s, now))
			free(s.path);
		else
			t->suspects.items[kept++] = s;
	}
	t->suspects.count = kept;
	return kept > 0;
}

void suspects_release(struct tracer *t)
{
	for (size_t i = 0; i < t->suspects.count; i++)
		free(t->suspects.items[i].path);
	for (size_t i = 0; i < t->told.count; i++)
		free(t->told.items[i].path);
	vector_release(&t->suspects);
	vector_release(&t->told);
}
