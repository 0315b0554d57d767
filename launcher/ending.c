/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the launcher's commands do, and how a session ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/units.h"
#include "launcher/drain.h"
#include "launcher/thread_numbers.h"
#include "trace/encode.h"

static uint64_t session_now(const struct session *s)
{
	return s->drain->now_ticks >> s->shift;
}

/* Everything of the region that is published, when nobody writes it any more; nothing that comes
 * is older than now. */
static void region_empty(struct session *s, uint64_t now)
{
	struct trace_sync sync = { now };

	if (!s->channel)
		return;
	session_pass(s);
	region_finalise(&s->region);
	session_pass(s);
	if (s->newest_stamp > sync.stamp)
		sync.stamp = s->newest_stamp;
	session_put(s, TRACE_SYNC, &sync);
}

/* The process, or its image, is over.  Children that it forked are looked for before, as long as it is known whose
 * they are. */
static void leave_channel(struct session *s, bool gone)
{
	if (!s->channel)
		return;
	drain_watch(s->drain, s->channel);
	session_detach(s, gone);
}

static void do_exec(struct session *s, struct command *c)
{
	struct trace_exec exec = { 0, trace_string(c->text) };

	/* The new image may have allocated already: what divides the two is the last of the old. */
	region_empty(s, 0);
	exec.stamp = s->newest_stamp ? s->newest_stamp + 1 : session_now(s);
	session_put(s, TRACE_EXEC, &exec);
	leave_channel(s, true);
	free(s->exe);
	s->exe = c->text;
	c->text = NULL;
	free(s->name);
	s->name = NULL;
	s->region_index = 0;
	if (c->has_channel)
		session_attach(s, &c->channel);
}

static void put_number(struct session *s, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	session_put_fact(s, key, text);
}

static void put_losses(struct session *s)
{
	const struct region *r = &s->region;
	char text[192], events[UNITS_TEXT_MAX], threads[UNITS_TEXT_MAX];

	put_number(s, "stalls", s->stalls);
	if (s->stacks.unknown)
		put_number(s, "stacks-unknown", s->stacks.unknown);
	if (s->children)
		put_number(s, "children-untraced", s->children);
	if (!r->garbage && !r->broken)
		return;
	snprintf(text, sizeof(text), "the program overwrote the trace's buffers: %s events and the rest of %s threads are unreadable",
		 format_count(events, sizeof(events), r->garbage), format_count(threads, sizeof(threads), r->broken));
	session_put_note(s, text, true);
}

/* What threads that have ended meanwhile still own is leaked: they may not have been looked for yet. */
static void settle_threads(struct session *s)
{
	s->passed_ns = 0;
	session_pass(s);
	thread_watch(&s->region, s->pid, true);
	s->passed_ns = 0;
	session_pass(s);
}

static void do_close(struct session *s, const struct command *c)
{
	drain_clock_check(s->drain);
	s->end = (struct trace_end){ .stamp = session_now(s), .how = c->number, .value = c->value };
	s->marks.all = true;
	if (s->channel) {
		if (c->number == TRACE_END_DETACH)
			settle_threads(s);
		region_empty(s, session_now(s));
		put_losses(s);
		leave_channel(s, c->number != TRACE_END_DETACH);
	}
	session_put_marks(s);
	s->state = SESSION_SYMBOLS;
	if (s->symbols)
		symbol_queue_close(s->symbols);
}

static void thread_gone(struct session *s, uint32_t tid)
{
	struct thread_numbers numbers = { 0 };

	if (s->channel && !thread_numbers_exists(&numbers, s->pid, tid))
		region_thread_gone(&s->region, tid);
	thread_numbers_release(&numbers);
}

static void take_name(struct session *s, struct command *c)
{
	if (!c->text)
		return;
	free(s->name);
	s->name = c->text;
	c->text = NULL;
}

void session_take_name(struct session *s)
{
	if (s->name)
		return;
	pthread_mutex_lock(&s->drain->lock);
	for (size_t i = 0; i < s->commands.count && s->commands.items[i].kind != COMMAND_EXEC; i++)
		if (s->commands.items[i].kind == COMMAND_NAME)
			take_name(s, &s->commands.items[i]);
	pthread_mutex_unlock(&s->drain->lock);
}

static void do_command(struct session *s, struct command *c)
{
	struct trace_child child = { c->number, trace_string(c->text), trace_string(c->key) };

	switch (c->kind) {
	case COMMAND_RSS:
		c->rss.stamp >>= s->shift;
		session_put(s, TRACE_RSS, &c->rss);
		break;
	case COMMAND_RESIDENT:
		c->resident.stamp >>= s->shift;
		session_put(s, TRACE_RESIDENT, &c->resident);
		break;
	case COMMAND_FACT:
		session_put_fact(s, c->key, c->text);
		break;
	case COMMAND_NOTE:
		session_put_note(s, c->text, false);
		break;
	case COMMAND_CHILD:
		s->children++;
		session_put(s, TRACE_CHILD, &child);
		break;
	case COMMAND_RELATIVE:
		c->relative.name = trace_string(c->text);
		c->relative.file = trace_string(c->key);
		session_put(s, TRACE_RELATIVE, &c->relative);
		break;
	case COMMAND_MARKER:
	case COMMAND_PAUSE:
		mark_queue_add(&s->marks, &(struct mark){
			.is_pause = c->kind == COMMAND_PAUSE, .paused = c->value, .snapshot = c->number,
			.ticks = c->stamp, .since_ns = s->drain->now_ns, .name = c->text });
		c->text = NULL;
		break;
	case COMMAND_LET_GO:
		s->lasts = false;
		break;
	case COMMAND_NAME:
		take_name(s, c);
		break;
	case COMMAND_GONE:
		thread_gone(s, c->number);
		break;
	case COMMAND_EXEC:
		do_exec(s, c);
		break;
	case COMMAND_CLOSE:
		do_close(s, c);
		break;
	}
	free(c->key);
	free(c->text);
}

void session_commands(struct session *s)
{
	struct commands taken;

	pthread_mutex_lock(&s->drain->lock);
	taken = s->commands;
	memset(&s->commands, 0, sizeof(s->commands));
	pthread_mutex_unlock(&s->drain->lock);
	for (size_t i = 0; i < taken.count; i++)
		do_command(s, &taken.items[i]);
	vector_release(&taken);
}

/* Of those that share the file, one that lacked something: each reads DWARF for itself. */
static struct symbol_module *telling_module(struct symbol_file *file)
{
	for (size_t i = 0; i < file->idle.count; i++)
		if (!symbol_module_complete(file->idle.items[i]))
			return file->idle.items[i];
	return file->module;
}

/* Why functions or lines may be missing, for the objects where the user can do something. */
static void put_hint(struct session *s, const struct module_entry *m, struct intern *said)
{
	char text[512] = "";
	struct symbol_module *module;
	const char *hint;
	uint32_t known;

	pthread_mutex_lock(&m->file->lock);
	module = telling_module(m->file);
	if (!symbol_module_complete(module) ||
	    (symbol_module_state(module) == SYMBOL_MODULE_STRIPPED && m->executable)) {
		hint = symbol_module_hint(module);
		if (hint && strncmp(m->path, "linux-vdso", 10))
			snprintf(text, sizeof(text), "%s", hint);
	}
	pthread_mutex_unlock(&m->file->lock);
	known = intern_count(said);
	if (*text && intern_put_string(said, text) > known)
		session_put_note(s, text, false);
}

/* Once each: the same object may have come again, after an exec or a dlclose. */
static void put_hints(struct session *s)
{
	struct intern *said = intern_new();

	for (size_t i = 0; i < s->retired.count; i++)
		for (size_t j = 0; j < s->retired.items[i]->all.count; j++)
			put_hint(s, s->retired.items[i]->all.items[j], said);
	intern_free(said);
}

static void put_end(struct session *s)
{
	struct clock clock = *s->drain->clock;
	struct trace_clock record;

	clock.shift = s->shift;
	record = clock_record(&clock, s->base_ticks);
	session_put(s, TRACE_CLOCK, &record);
	if (s->newest_stamp > s->end.stamp)
		s->end.stamp = s->newest_stamp;
	s->end.events = s->events;
	session_put(s, TRACE_END, &s->end);
}

static void output_close(struct session *s)
{
	int rc;

	if (!s->sink)
		goto out;
	rc = s->sink->ops->finish(s->sink);
	if (rc) {
		session_failed(s, rc);
		goto out;
	}
	s->bytes = s->sink->ops->written(s->sink);
	s->sink->ops->free(s->sink);
	s->sink = NULL;
out:
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void session_dissolve(struct session *s)
{
	session_detach(s, false);
	if (s->symbols)
		symbol_queue_free(s->symbols);
	s->symbols = NULL;
	for (size_t i = 0; i < s->retired.count; i++) {
		module_table_release(s->retired.items[i]);
		free(s->retired.items[i]);
	}
	vector_release(&s->retired);
	buffer_release(&s->encoded);
	if (s->sink)
		s->sink->ops->free(s->sink);
	s->sink = NULL;
}

static bool symbols_there(const struct session *s)
{
	return !s->symbols || !s->sink || symbol_queue_done(s->symbols);
}

/* Writes the end of a closed session once its symbols are there.  True: it is over. */
bool session_finish(struct session *s)
{
	if (s->state == SESSION_SYMBOLS && symbols_there(s)) {
		session_put_symbols(s);
		put_hints(s);
		put_end(s);
		s->state = SESSION_ENDED;
	}
	if (s->state != SESSION_ENDED || s->lasts)
		return false;
	output_close(s);
	session_dissolve(s);
	return true;
}
