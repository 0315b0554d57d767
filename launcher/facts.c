/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collecting the facts of a run. */
#include "launcher/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "config.h"
#include "launcher/procfs.h"
#include "wire/command.h"

static void add(struct facts *f, const char *key, const char *value)
{
	if (f->count < FACTS_MAX)
		f->items[f->count++] = (struct session_fact){ key, value };
}

static char *room(struct facts *f)
{
	return f->text[f->count];	/* every made value belongs to the next fact */
}

static void add_number(struct facts *f, const char *key, unsigned long long number)
{
	char *text = room(f);

	snprintf(text, sizeof(f->text[0]), "%llu", number);
	add(f, key, text);
}

/* Words that a shell would take apart are quoted. */
static char *command_text(char **argv)
{
	struct buffer b = BUFFER_INIT;

	for (size_t i = 0; argv[i]; i++) {
		const char *word = argv[i];
		bool plain = *word && !strpbrk(word, " \t\n\"'\\$`&|;<>()*?[]{}~#!");

		if (i)
			buffer_append_char(&b, ' ');
		if (plain) {
			buffer_append_string(&b, word);
			continue;
		}
		buffer_append_char(&b, '\'');
		for (; *word; word++) {
			if (*word == '\'')
				buffer_append_string(&b, "'\\''");
			else
				buffer_append_char(&b, *word);
		}
		buffer_append_char(&b, '\'');
	}
	return buffer_detach(&b);
}

static void add_machine(struct facts *f)
{
	struct utsname u;
	char *text;

	if (uname(&u) < 0)
		return;
	text = room(f);
	snprintf(text, sizeof(f->text[0]), "%s", u.nodename);
	add(f, "host", text);
	text = room(f);
	snprintf(text, sizeof(f->text[0]), "%s %s %s", u.sysname, u.release, u.machine);
	add(f, "kernel", text);
}

static void add_started(struct facts *f)
{
	time_t now = time(NULL);
	struct tm tm;
	char *text = room(f);

	if (gmtime_r(&now, &tm) && strftime(text, sizeof(f->text[0]), "%Y-%m-%dT%H:%M:%SZ", &tm))
		add(f, "started", text);
}

/* What the user typed for the command itself; what a followed child was called with. */
static char *command_of(const struct launch *launch, pid_t pid, pid_t parent, const struct kin *kin)
{
	char **words = parent == getpid() ? NULL : procfs_arguments(pid);
	char *text;

	if (!words && kin->number)	/* gone already */
		return xasprintf("(child of %s)", *kin->parent_name ? kin->parent_name : "a process that is gone");
	text = command_text(words ? words : launch->command);
	free(words);
	return text;
}

static void add_exe(struct facts *f, pid_t pid)
{
	char *text = room(f);

	if (procfs_exe(pid, text, sizeof(f->text[0])) == 0)
		add(f, "exe", text);
}

void facts_init(struct facts *f, const struct launch *launch, pid_t pid, const struct kin *kin)
{
	const struct channel_settings *s = &launch->settings;
	pid_t parent = 0;

	memset(f, 0, sizeof(*f));
	if (procfs_state(pid, NULL, &parent))
		parent = kin->parent;
	f->command = command_of(launch, pid, parent, kin);
	add_exe(f, pid);
	add_number(f, "pid", (unsigned long long)pid);
	add_number(f, "ppid", (unsigned long long)parent);
	add_machine(f);
	add_started(f);
	add_number(f, "stack-depth", s->stack_depth);
	add_number(f, "free-stacks", s->free_stacks);
	add_number(f, "min-size", s->min_size);
	add_number(f, "findings", s->findings);
	add_number(f, "sample", s->sample);
	add_number(f, "follow", launch->follow);
	if (s->track_threads[0])
		add(f, "track-threads", s->track_threads);
	if (s->stack_threads[0])
		add(f, "stack-threads", s->stack_threads);
	add(f, "program", "memtrack " PACKAGE_VERSION);
	add(f, "command", f->command);
	add(f, "method", launch->pid ? "inject" : "preload");
	if (launch->pid)
		add(f, "attached", "1");
	add(f, "options", launch->described ? launch->described : "");
	if (launch->port || launch->behind || launch->heard)
		add_number(f, "commands", WIRE_COMMAND_VERSION);
}

char *facts_command(pid_t pid)
{
	char **words = procfs_arguments(pid), *text = words ? command_text(words) : NULL;

	free(words);
	return text;
}

void facts_add_kin(struct facts *f, const struct kin *kin, pid_t root, const char *root_name,
		   const char *root_trace)
{
	static const char *const came[] = { "", "start", "fork", "exec" };

	add_number(f, "number", kin->number);
	add(f, "came", came[kin->came]);
	add_number(f, "root", (unsigned long long)root);
	if (*kin->parent_name)
		add(f, "parent", kin->parent_name);
	if (kin->parent_trace)
		add(f, "parent-trace", kin->parent_trace);
	if (!root_name)
		return;
	add(f, "root-name", root_name);
	if (root_trace)
		add(f, "root-trace", root_trace);
}

void facts_add_writer(struct facts *f, const char *mark)
{
	if (*mark)
		add(f, "writer", mark);
}

void facts_release(struct facts *f)
{
	free(f->command);
	f->command = NULL;
}
