/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks one mapping of /proc/self/maps after the other. */
#include "hook/locked.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "hook/core.h"
#include "hook/memory.h"
#include "hook/raw.h"

#define OURS		"/memfd:memtrack"
#define ONFAULT		4	/* MCL_ONFAULT */
#define LOCK_ONFAULT	1	/* MLOCK_ONFAULT */
#define CAPABILITIES_V3	0x20080522u
#define IPC_LOCK	14u
#define READ_SIZE	512u
#define OPEN_FLAGS	02000000	/* O_RDONLY | O_CLOEXEC */

/* A line as it comes by:  start-end rwxp offset device inode   path */
struct line {
	uintptr_t start, end;
	unsigned column;	/* fields seen, the two addresses being the first two */
	unsigned matched;	/* bytes of the path that are those of OURS */
	bool access, other;	/* other: the path is somebody else's */
};

struct walk {
	void (*visit)(struct walk *w, uintptr_t start, uintptr_t end);
	uint64_t total;
	int how;
};

static void line_path(struct line *l, char c)
{
	if (l->other || !OURS[l->matched])
		return;
	if (c == OURS[l->matched])
		l->matched++;
	else
		l->other = true;
}

static void line_address(struct line *l, char c)
{
	uintptr_t *word = l->column ? &l->end : &l->start;

	*word = *word << 4 | (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void line_take(struct line *l, char c)
{
	static const unsigned path_column = 6;

	if (c == ' ' || (c == '-' && !l->column)) {
		if (l->column < path_column)
			l->column++;
	} else if (l->column < 2) {
		line_address(l, c);
	} else if (l->column == 2) {
		l->access |= c == 'r' || c == 'w' || c == 'x';
	} else if (l->column == path_column) {
		line_path(l, c);
	}
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static bool is_image(uintptr_t start, uintptr_t end)
{
	const Elf64_Ehdr *header = (const void *)__ehdr_start;
	const Elf64_Phdr *p = (const void *)(__ehdr_start + header->e_phoff);
	uintptr_t size = 0;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD && p[i].p_vaddr + p[i].p_memsz > size)
			size = p[i].p_vaddr + p[i].p_memsz;
	}
	return start >= (uintptr_t)__ehdr_start && end < (uintptr_t)__ehdr_start + size + RAW_PAGE_MAX;
}

/* What nobody may touch is not brought in when it is locked either. */
static void line_end(const struct line *l, struct walk *w)
{
	if (!OURS[l->matched])
		return;
	if (l->access && l->start < l->end && !hook_owns(l->start, l->end) && !is_image(l->start, l->end))
		w->visit(w, l->start, l->end);
}

static bool walk_maps(struct walk *w)
{
	long fd = raw_call(RAW_NR_openat, -100, "/proc/self/maps", OPEN_FLAGS, 0, 0), n;
	struct line line = { 0 };
	char text[READ_SIZE];

	if (fd < 0)
		return false;
	while ((n = raw_call(RAW_NR_read, fd, text, sizeof text, 0, 0)) > 0) {
		for (long i = 0; i < n; i++) {
			if (text[i] != '\n') {
				line_take(&line, text[i]);
				continue;
			}
			line_end(&line, w);
			line = (struct line){ 0 };
		}
	}
	raw_call(RAW_NR_close, fd, 0, 0, 0, 0);
	return n == 0;
}

static void add(struct walk *w, uintptr_t start, uintptr_t end)
{
	w->total += end - start;
}

/* Some mappings cannot be locked or not be filled; mlockall says nothing of them. */
static void lock(struct walk *w, uintptr_t start, uintptr_t end)
{
	raw_call(RAW_NR_mlock2, start, end - start, w->how, 0, 0);
}

static bool may_lock_all(void)
{
	struct { uint32_t version; int pid; } header = { CAPABILITIES_V3, 0 };
	struct { uint32_t effective, permitted, inheritable; } data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	return raw_call(RAW_NR_capget, &header, data, 0, 0, 0) == 0 && data[0].effective >> IPC_LOCK & 1;
}

bool locked_current(int flags)
{
	struct walk count = { .visit = add }, locking = { .visit = lock, .how = flags & ONFAULT ? LOCK_ONFAULT : 0 };
	struct rlimit limit = { RLIM_INFINITY, 0 };

	if (!walk_maps(&count))
		return false;
	raw_call(RAW_NR_prlimit64, 0, RLIMIT_MEMLOCK, NULL, &limit, 0);
	return (limit.rlim_cur >= count.total || may_lock_all()) && walk_maps(&locking);
}
