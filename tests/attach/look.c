/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at a process through /proc. */
#include "tests/attach/look.h"
#include "tests/attach/true_code.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapping {
	unsigned long start, end, offset;
	char permissions[8], name[512];
};

static FILE *open_of(pid_t pid, const char *what)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	return fopen(path, "r");
}

static char state_of(pid_t pid, const char *tid)
{
	char path[64], line[256], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "task/%.20s/status", tid);
	file = open_of(pid, path);
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) == 1)
			break;
	if (file)
		fclose(file);
	return state;
}

/* The first thread that lives: the kernel shows nothing of a main thread that has left. */
static pid_t living(pid_t pid)
{
	char folder[64];
	struct dirent *entry;
	pid_t found = pid;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/task", pid);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && state_of(pid, entry->d_name) != 'Z') {
			found = atoi(entry->d_name);
			break;
		}
	if (dir)
		closedir(dir);
	return found;
}

static bool read_mapping(const char *line, struct mapping *m)
{
	m->name[0] = '\0';
	return sscanf(line, "%lx-%lx %7s %lx %*s %*s %511[^\n]", &m->start, &m->end, m->permissions, &m->offset,
		m->name) >= 4;
}

static bool is_ours(const char *line)
{
	return strstr(line, "/memfd:memtrack") != NULL;
}

/* All lines that wanted() accepts, in one text. */
static char *read_lines(FILE *file, bool (*wanted)(const char *))
{
	char *text = NULL, *line = NULL;
	size_t size = 0, room = 0;
	FILE *out = open_memstream(&text, &size);

	while (file && getline(&line, &room, file) > 0)
		if (wanted(line))
			fputs(line, out);
	free(line);
	if (file)
		fclose(file);
	fclose(out);
	return text;
}

static bool is_theirs(const char *line)
{
	return !is_ours(line);
}

static bool is_of_signals(const char *line)
{
	return strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0 ||
		strncmp(line, "SigCgt", 6) == 0 || strncmp(line, "TracerPid", 9) == 0;
}

static char *read_fds(pid_t pid)
{
	char folder[64], path[4400], target[4096], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", pid);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		ssize_t length;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (length > 0)
			fprintf(out, "%s %.*s\n", entry->d_name, (int)length, target);
	}
	if (dir)
		closedir(dir);
	fclose(out);
	return text;
}

struct look look_at(pid_t pid)
{
	pid = living(pid);
	return (struct look){
		.maps = read_lines(open_of(pid, "maps"), is_theirs),
		.fds = read_fds(pid),
		.signals = read_lines(open_of(pid, "status"), is_of_signals),
	};
}

void look_free(struct look *look)
{
	free(look->maps);
	free(look->fds);
	free(look->signals);
}

/* The heap grows and moves nothing; what a still process has must be there unchanged.  plugin.so comes
 * and goes. */
static bool counts(const char *line, bool still)
{
	struct mapping m;

	if (!read_mapping(line, &m) || (!still && strstr(m.name, "/plugin.so")))
		return false;
	if (strchr(m.permissions, 'x') || (m.name[0] == '/' && strncmp(m.name, "/dev/", 5) != 0))
		return true;
	return still && strcmp(m.name, "[heap]") != 0 && strcmp(m.name, "[stack]") != 0;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strcspn(line, "\n");

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (strncmp(at, line, length) == 0 && (at[length] == '\n' || at[length] == '\0'))
			return true;
	return false;
}

static bool lines_miss(const char *from, const char *in, const char *what, bool maps, bool still)
{
	bool differs = false;

	for (const char *at = from; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if ((!maps || counts(at, still)) && !has_line(in, at)) {
			fprintf(stderr, "%s: %.*s\n", what, (int)strcspn(at, "\n"), at);
			differs = true;
		}
	return differs;
}

bool look_differs(const struct look *before, const struct look *now, bool still)
{
	bool differs = lines_miss(before->maps, now->maps, "mapping gone", true, still);

	differs |= lines_miss(now->maps, before->maps, "mapping new", true, still);
	if (still) {
		differs |= lines_miss(before->fds, now->fds, "descriptor gone", false, true);
		differs |= lines_miss(now->fds, before->fds, "descriptor new", false, true);
		differs |= lines_miss(now->signals, before->signals, "signals now", false, true);
	}
	return differs;
}

bool look_code_differs(pid_t pid)
{
	char first[TRUE_CODE_TEXT];

	if (!true_code(living(pid), first))
		return false;
	fprintf(stderr, "%s\n", first);
	return true;
}

bool look_held(pid_t pid, bool stopped)
{
	char folder[64];
	struct dirent *entry;
	bool held = false;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/task", pid);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		char state = entry->d_name[0] == '.' ? 'S' : state_of(pid, entry->d_name);

		if (state == 'Z')
			continue;
		if (state == 't' || (state == 'T' && !stopped) ||
				(stopped && entry->d_name[0] != '.' && state != 'T')) {
			fprintf(stderr, "thread %s is in state %c\n", entry->d_name, state);
			held = true;
		}
	}
	if (dir)
		closedir(dir);
	return held;
}
