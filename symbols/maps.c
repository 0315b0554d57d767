/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsing /proc/PID/maps by position: a name may hold blanks, brackets, tabs and "\012". */
#include "symbols/maps.h"

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/vector.h"
#include "symbols/living.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DELETED	" (deleted)"

/* A number in base 16 or 10 up to the byte `end`; NULL when it is none. */
static const char *number(const char *p, const char *limit, unsigned base, char end, uint64_t *value)
{
	const char *first = p;

	for (*value = 0; p < limit && *p != end; p++) {
		unsigned digit = *p >= '0' && *p <= '9' ? (unsigned)(*p - '0')
			       : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10 : 16;

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return NULL;
		*value = *value * base + digit;
	}
	return p > first && p < limit ? p + 1 : NULL;
}

/* The kernel writes a newline in a name as \012, and nothing else so: undo it in place. */
static void unescape(char *name)
{
	char *to = name;

	for (const char *from = name; *from; ) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static void take_name(struct map_entry *e, char *name)
{
	size_t len, cut = strlen(DELETED);

	unescape(name);
	len = strlen(name);
	/* A file may really be called so: then it is alive, but its inode will not be found. */
	if (len > cut && strcmp(name + len - cut, DELETED) == 0) {
		name[len - cut] = '\0';
		e->deleted = true;
	}
	e->name = name;
}

/* "start-end rwxp offset major:minor inode   name" */
static bool parse_line(char *line, char *end, struct map_entry *e)
{
	uint64_t major, minor;
	const char *p = number(line, end, 16, '-', &e->start);
	char *name;

	p = p ? number(p, end, 16, ' ', &e->end) : NULL;
	if (!p || end - p < 5 || p[4] != ' ' || e->end <= e->start)
		return false;
	e->read = p[0] == 'r';
	e->write = p[1] == 'w';
	e->execute = p[2] == 'x';
	e->shared = p[3] == 's';
	p = number(p + 5, end, 16, ' ', &e->offset);
	p = p ? number(p, end, 16, ':', &major) : NULL;
	p = p ? number(p, end, 16, ' ', &minor) : NULL;
	if (!p)
		return false;
	e->dev_major = (unsigned)major;
	e->dev_minor = (unsigned)minor;
	/* Without a name the inode ends the line, on some kernels with a blank behind it. */
	name = memchr(p, ' ', (size_t)(end - p));
	*end = name ? ' ' : '\n';
	p = number(p, end + 1, 10, *end, &e->inode);
	*end = '\0';
	if (!p)
		return false;
	name = name ? name : end;
	while (*name == ' ')
		name++;
	take_name(e, name);
	return true;
}

int maps_parse(const char *text, size_t length, struct maps *maps)
{
	VECTOR(struct map_entry) entries = { 0 };
	char *copy = xmalloc(length + 1), *line = copy, *end;

	memcpy(copy, text, length);
	copy[length] = '\0';
	for (; line < copy + length; line = end + 1) {
		struct map_entry e = { .name = "" };

		end = memchr(line, '\n', (size_t)(copy + length - line));
		end = end ? end : copy + length;
		*end = '\0';
		if (parse_line(line, end, &e) &&
		    (entries.count == 0 || vector_last(&entries).end <= e.start))
			vector_push(&entries, e);
	}
	*maps = (struct maps){ entries.items, entries.count, copy };
	return 0;
}

int maps_read(pid_t pid, struct maps *maps)
{
	struct buffer text = BUFFER_INIT;
	ssize_t got;
	int fd = living_open(pid, "maps", O_RDONLY), error;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	do {
		buffer_reserve(&text, 65536);
		got = read(fd, text.data + text.length, 65536);
		if (got > 0)
			text.length += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	error = got < 0 ? -errno : maps_parse(text.data, text.length, maps);
	close(fd);
	buffer_release(&text);
	return error;
}

void maps_release(struct maps *maps)
{
	free(maps->items);
	free(maps->text);
	*maps = (struct maps){ 0 };
}

const struct map_entry *maps_find(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (maps->items[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < maps->count && maps->items[low].start <= address ? &maps->items[low] : NULL;
}

static bool same_file(const struct map_entry *a, const struct map_entry *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && strcmp(a->name, b->name) == 0;
}

/* .bss and the holes that the loader leaves have no file. */
static bool is_filler(const struct map_entry *e)
{
	return e->inode == 0 && e->name[0] == '\0';
}

bool maps_object(const struct maps *maps, uint64_t address, size_t *first, size_t *last)
{
	const struct map_entry *e = maps_find(maps, address);
	size_t at;

	if (!e || e->inode == 0)
		return false;
	at = *first = *last = (size_t)(e - maps->items);
	for (size_t i = at; i-- > 0; ) {
		const struct map_entry *m = &maps->items[i];

		if (same_file(m, e) && m->offset <= maps->items[*first].offset)
			*first = i;
		else if (!is_filler(m))
			break;
	}
	for (size_t i = at + 1; i < maps->count; i++) {
		const struct map_entry *m = &maps->items[i];

		if (same_file(m, e) && m->offset >= maps->items[*last].offset)
			*last = i;
		else if (!is_filler(m))
			break;
	}
	return true;
}
