/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what the target program did. */
#include "tests/target/record.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum row_kind { ROW_ALLOC, ROW_RELEASE, ROW_FRAMES, ROW_THREAD, ROW_SAY };

struct row {
	enum row_kind kind;
	int tid;
	const char *text;
	uintptr_t ptr;
	size_t size;
	int has_size;
};

#define ROWS_MAX 8192
static struct row rows[ROWS_MAX];
static atomic_uint row_count;

static struct row *row_new(enum row_kind kind, const char *text, uintptr_t ptr)
{
	unsigned at = atomic_fetch_add(&row_count, 1);

	if (at >= ROWS_MAX)
		abort();
	rows[at].kind = kind;
	rows[at].tid = (int)syscall(SYS_gettid);
	rows[at].text = text;
	rows[at].ptr = ptr;
	return &rows[at];
}

void record_alloc(const char *op, const void *ptr, size_t size)
{
	struct row *row = row_new(ROW_ALLOC, op, (uintptr_t)ptr);

	row->size = size;
	row->has_size = 1;
}

void record_release(const char *op, const void *ptr)
{
	row_new(ROW_RELEASE, op, (uintptr_t)ptr);
}

void record_release_range(const char *op, const void *ptr, size_t size)
{
	struct row *row = row_new(ROW_RELEASE, op, (uintptr_t)ptr);

	row->size = size;
	row->has_size = 1;
}

void record_realloc(uintptr_t old, const void *ptr, size_t size)
{
	if (old)
		row_new(ROW_RELEASE, "free", old);
	record_alloc("realloc", ptr, size);
}

void record_frames(const void *ptr, const char *frames)
{
	row_new(ROW_FRAMES, frames, (uintptr_t)ptr);
}

void record_thread(const char *name)
{
	row_new(ROW_THREAD, name, 0);
}

void record_say(const char *key, long value)
{
	row_new(ROW_SAY, key, 0)->size = (size_t)value;
}

static void row_print(const struct row *row)
{
	switch (row->kind) {
	case ROW_ALLOC:
	case ROW_RELEASE:
		printf("did %d %s ", row->tid, row->text);
		if (row->has_size)
			printf("%zu ", row->size);
		else
			printf("- ");
		printf("0x%jx\n", (uintmax_t)row->ptr);
		break;
	case ROW_FRAMES:
		printf("frames 0x%jx %s\n", (uintmax_t)row->ptr, row->text);
		break;
	case ROW_THREAD:
		printf("thread %d %s\n", row->tid, row->text);
		break;
	case ROW_SAY:
		printf("say %s %ld\n", row->text, (long)row->size);
		break;
	}
}

void record_print(void)
{
	static char buffer[1 << 16];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	for (unsigned i = 0; i < atomic_load(&row_count); i++)
		row_print(&rows[i]);
	fflush(stdout);
}
