/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads excerpts of source files.  A trace may name any path: nothing but regular files is opened. */
#include "memview/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define READ_MAX (4u << 20)	/* bytes of a file that are looked at */
#define LINE_MAX_BYTES 512

static void clear(struct source_excerpt *excerpt)
{
	for (size_t i = 0; i < excerpt->count; i++)
		free(excerpt->lines[i]);
	free(excerpt->file);
	*excerpt = (struct source_excerpt){ 0 };
}

void source_release(struct source_shelf *shelf)
{
	for (int i = 0; i < SOURCE_SHELF; i++)
		clear(&shelf->slots[i]);
}

/* Opening a device can do things; so a path is looked at before it is opened. */
static FILE *open_regular(const char *path, struct stat *about)
{
	int where = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char again[40];
	FILE *file;

	if (where >= 0 && fstat(where, about) == 0 && S_ISREG(about->st_mode)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", where);
		fd = open(again, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	}
	if (where >= 0)
		close(where);
	file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!file && fd >= 0)
		close(fd);
	return file;
}

/* The next line, cut to the room; false at the end. */
static bool next_line(FILE *file, char *line, size_t *left)
{
	size_t length = 0;
	int c = EOF;

	while (*left && (c = getc_unlocked(file)) != EOF && c != '\n') {
		(*left)--;
		if (length < LINE_MAX_BYTES - 1 && c)
			line[length++] = (char)c;
	}
	*left -= *left && c == '\n';
	line[length] = 0;
	return length || c == '\n';
}

static void read_lines(struct source_excerpt *excerpt, FILE *file)
{
	uint64_t last = (uint64_t)excerpt->line + SOURCE_AROUND;
	char line[LINE_MAX_BYTES];
	size_t left = READ_MAX;

	excerpt->first = excerpt->line > SOURCE_AROUND ? excerpt->line - SOURCE_AROUND : 1;
	for (uint64_t n = 1; n <= last && next_line(file, line, &left); n++) {
		if (n >= excerpt->first)
			excerpt->lines[excerpt->count++] = xstrdup(line);
	}
}

static bool is_newer(const struct stat *source, const char *module)
{
	struct stat program;

	if (!module || stat(module, &program) < 0)
		return false;
	return source->st_mtim.tv_sec > program.st_mtim.tv_sec ||
	       (source->st_mtim.tv_sec == program.st_mtim.tv_sec &&
		source->st_mtim.tv_nsec > program.st_mtim.tv_nsec);
}

static void fill(struct source_excerpt *excerpt, const char *file, uint32_t line, const char *module)
{
	struct stat about;
	FILE *in = open_regular(file, &about);

	excerpt->file = xstrdup(file);
	excerpt->line = line;
	if (!in)
		return;
	read_lines(excerpt, in);
	fclose(in);
	/* The line itself must be among them. */
	if (excerpt->first + excerpt->count <= line) {
		clear(excerpt);
		excerpt->file = xstrdup(file);
		excerpt->line = line;
	}
	excerpt->newer = excerpt->count && is_newer(&about, module);
}

const struct source_excerpt *source_look(struct source_shelf *shelf, const char *file, uint32_t line,
					 const char *module)
{
	struct source_excerpt *slot;

	for (int i = 0; i < SOURCE_SHELF; i++) {
		slot = &shelf->slots[i];
		if (slot->file && slot->line == line && strcmp(slot->file, file) == 0)
			return slot;
	}
	slot = &shelf->slots[shelf->next];
	shelf->next = (shelf->next + 1) % SOURCE_SHELF;
	clear(slot);
	fill(slot, file, line, module);
	return slot;
}
