/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's calls: each leaves a command for the drain and rings. */
#include "launcher/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/drain.h"
#include "launcher/procfs.h"
#include "trace/decode.h"

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void command_push(struct session *s, struct command c)
{
	pthread_mutex_lock(&s->drain->lock);
	vector_push(&s->commands, c);
	pthread_mutex_unlock(&s->drain->lock);
}

/* A fork child's time begins with its region, which is found a little later.  The word is the
 * target's: a time that is not before now is not believed. */
static uint64_t first_ticks(const struct drain *d, const struct session_config *config)
{
	const struct session_channel *c = &config->channel;
	uint64_t now = clock_ticks(d->clock), started = 0;
	const struct channel_region *r;

	if (c->header && config->region && config->region < c->region_count) {
		r = (const struct channel_region *)((const char *)c->header + c->region_offset +
						    config->region * c->region_bytes);
		started = atomic_load(&r->start_stamp);
	}
	return started && started < now ? started : now;
}

struct session *session_new(struct drain *d, const struct session_config *config)
{
	struct session *s = xcalloc(1, sizeof(*s));
	char exe[4096];

	s->drain = d;
	s->pid = config->pid;
	s->fd = config->fd;
	s->stream = config->stream;
	s->number = config->number;
	s->lasts = config->lasts;
	s->format = config->format;
	s->no_symbols = config->no_symbols;
	s->symbols_from = copy(config->symbols_from);
	s->region_index = config->region;
	s->first_channel = config->channel;
	if (config->exe)
		s->exe = xstrdup(config->exe);
	else if (procfs_exe(config->pid, exe, sizeof(exe)) == 0)
		s->exe = xstrdup(exe);
	s->base_ticks = first_ticks(d, config);
	for (size_t i = 0; i < config->fact_count; i++)
		session_add_fact(s, config->facts[i].key, config->facts[i].value);
	pthread_mutex_lock(&d->lock);
	s->next = d->incoming;
	d->incoming = s;
	pthread_mutex_unlock(&d->lock);
	drain_ring(d);
	return s;
}

void session_set_owner(struct session *s, void *owner)
{
	s->owner = owner;
}

void *session_owner(const struct session *s)
{
	return s->owner;
}

pid_t session_pid(const struct session *s)
{
	return s->pid;
}

void session_add_rss(struct session *s, const struct trace_rss *rss)
{
	struct command c = { .kind = COMMAND_RSS, .rss = *rss };

	c.rss.stamp = clock_ticks(s->drain->clock);
	command_push(s, c);
}

uint64_t session_ticks(const struct session *s)
{
	return clock_ticks(s->drain->clock);
}

void session_add_resident(struct session *s, const struct trace_resident *resident)
{
	command_push(s, (struct command){ .kind = COMMAND_RESIDENT, .resident = *resident,
					  .text = (char *)resident->packed.data });
}

void session_add_fact(struct session *s, const char *key, const char *value)
{
	command_push(s, (struct command){ .kind = COMMAND_FACT, .key = copy(key), .text = copy(value) });
}

void session_add_note(struct session *s, const char *text)
{
	command_push(s, (struct command){ .kind = COMMAND_NOTE, .text = copy(text) });
}

uint64_t session_stamp(const struct session *s, uint64_t ticks)
{
	struct trace_clock clock = { s->clock_base, s->clock_mult };

	return s->format == SESSION_TEXT ? trace_time(&clock, ticks) / 1000 : ticks >> s->drain->clock->shift;
}

void session_add_marker(struct session *s, uint64_t ticks, const char *name)
{
	command_push(s, (struct command){ .kind = COMMAND_MARKER, .stamp = ticks, .text = copy(name) });
	drain_ring(s->drain);
}

void session_add_snapshot(struct session *s, uint64_t ticks, unsigned number)
{
	command_push(s, (struct command){ .kind = COMMAND_MARKER, .stamp = ticks, .number = number,
					  .text = xasprintf("snapshot %u", number) });
	drain_ring(s->drain);
}

void session_add_pause(struct session *s, uint64_t ticks, bool paused)
{
	command_push(s, (struct command){ .kind = COMMAND_PAUSE, .stamp = ticks, .value = paused });
	drain_ring(s->drain);
}

void session_add_child(struct session *s, pid_t pid, const char *name, const char *reason)
{
	command_push(s, (struct command){ .kind = COMMAND_CHILD, .number = (uint32_t)pid, .text = copy(name),
					  .key = copy(reason) });
}

void session_add_relative(struct session *s, const struct trace_relative *relative)
{
	const struct trace_string *file = &relative->file, *name = &relative->name;

	command_push(s, (struct command){ .kind = COMMAND_RELATIVE, .relative = *relative,
					  .key = xstrndup(file->length ? file->data : "", file->length),
					  .text = xstrndup(name->length ? name->data : "", name->length) });
}

void session_let_go(struct session *s)
{
	command_push(s, (struct command){ .kind = COMMAND_LET_GO });
	drain_ring(s->drain);
}

void session_thread_gone(struct session *s, pid_t tid)
{
	command_push(s, (struct command){ .kind = COMMAND_GONE, .number = (uint32_t)tid });
}

void session_image_name(struct session *s, const char *name)
{
	command_push(s, (struct command){ .kind = COMMAND_NAME, .text = copy(name) });
}

void session_exec(struct session *s, const struct session_channel *channel, const char *exe)
{
	struct command c = { .kind = COMMAND_EXEC, .text = copy(exe) };

	if (channel) {
		c.has_channel = true;
		c.channel = *channel;
	}
	command_push(s, c);
	drain_ring(s->drain);
}

void session_close(struct session *s, enum trace_end_how how, uint32_t value)
{
	command_push(s, (struct command){ .kind = COMMAND_CLOSE, .number = how, .value = value });
	drain_ring(s->drain);
}

int session_wait(struct session *s)
{
	struct drain *d = s->drain;

	pthread_mutex_lock(&d->lock);
	while (s->state != SESSION_FINISHED)
		pthread_cond_wait(&d->finished, &d->lock);
	pthread_mutex_unlock(&d->lock);
	return s->error;
}

void session_counters(const struct session *s, struct session_counters *out)
{
	*out = (struct session_counters){
		.events = s->events, .bytes = s->bytes, .lost = s->lost, .stalls = s->stalls,
		.threads = s->threads, .modules = s->module_count, .stacks = s->stack_count,
		.children = s->children, .exits = s->exits, .error = s->error,
	};
}

void session_free(struct session *s)
{
	session_destroy(s);
}

/* For sessions that no thread works on any more. */
void session_destroy(struct session *s)
{
	for (size_t i = 0; i < s->commands.count; i++) {
		free(s->commands.items[i].key);
		free(s->commands.items[i].text);
	}
	vector_release(&s->commands);
	mark_queue_release(&s->marks);
	if (s->fd >= 0)
		close(s->fd);
	free(s->symbols_from);
	free(s->exe);
	free(s->name);
	free(s);
}
