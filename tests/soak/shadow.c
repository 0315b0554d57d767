/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapped file of a soaking process, by raw system calls only. */
#include "tests/soak/shadow_count.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENVIRONMENT_MAX (1 << 17)

struct shadow_file shadow_nowhere;
struct shadow_file *_Atomic shadow_opened;

static __thread struct shadow_self self __attribute__((tls_model("initial-exec")));

static long raw(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall" : "=a"(result)
		: "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return result;
}

void *shadow_map(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)raw(SYS_mmap, (long)at, (long)size, protection, flags, fd, offset);
}

long shadow_call(long number, long a, long b, long c, long d, long e)
{
	return raw(number, a, b, c, d, e, 0);
}

/* environ is not set yet when the first calls come: the kernel's copy is. */
static const char *variable(const char *text, long length, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = text; at < text + length; at += strlen(at) + 1)
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			return at + n + 1;
	return NULL;
}

static uint64_t number(const char *text)
{
	uint64_t value = 0;

	while (text && *text >= '0' && *text <= '9')
		value = value * 10 + (uint64_t)(*text++ - '0');
	return value;
}

static size_t append_pid(char *path, size_t length, long pid)
{
	char digits[24];
	int n = 0;

	path[length++] = '.';
	do {
		digits[n++] = (char)('0' + pid % 10);
	} while (pid /= 10);
	while (n)
		path[length++] = digits[--n];
	path[length] = 0;
	return length;
}

static struct shadow_file *map_file(const char *path)
{
	long fd = raw(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CREAT | O_CLOEXEC, 0666, 0, 0);
	void *at = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (raw(SYS_ftruncate, fd, sizeof(struct shadow_file), 0, 0, 0, 0) == 0)
		at = shadow_map(NULL, sizeof(struct shadow_file), PROT_READ | PROT_WRITE, MAP_SHARED,
			(int)fd, 0);
	raw(SYS_close, fd, 0, 0, 0, 0, 0);
	return (unsigned long)at > -4096ul ? NULL : at;
}

struct shadow_file *shadow_open(void)
{
	static char text[ENVIRONMENT_MAX];
	char path[4096];
	struct shadow_file *file = NULL;
	long fd, got, length = 0;
	const char *prefix;

	fd = raw(SYS_openat, AT_FDCWD, (long)"/proc/self/environ", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	while (fd >= 0 && length < ENVIRONMENT_MAX - 1 &&
	       (got = raw(SYS_read, fd, (long)text + length, ENVIRONMENT_MAX - 1 - length, 0, 0, 0)) > 0)
		length += got;
	if (fd >= 0)
		raw(SYS_close, fd, 0, 0, 0, 0, 0);
	prefix = variable(text, length, SHADOW_ENV);
	if (prefix && strlen(prefix) < sizeof(path) - 32) {
		size_t n = strlen(prefix);

		memcpy(path, prefix, n);
		append_pid(path, n, raw(SYS_getpid, 0, 0, 0, 0, 0, 0));
		file = map_file(path);
	}
	if (!file)
		file = &shadow_nowhere;
	file->magic = SHADOW_MAGIC;
	file->live_blocks = file->live_bytes = 0;	/* an image before exec is gone */
	file->min_size = number(variable(text, length, SHADOW_MIN_ENV));
	shadow_opened = file;
	return file;
}

struct shadow_self *shadow_self(void)
{
	return &self;
}

struct shadow_file *shadow(void)
{
	struct shadow_file *file = shadow_opened;

	return file ? file : shadow_open();
}

void shadow_forked(void)
{
	struct shadow_file *old = shadow_opened;

	if (old && old != &shadow_nowhere)
		raw(SYS_munmap, (long)old, sizeof(*old), 0, 0, 0, 0);
	self = (struct shadow_self){ 0 };
	heap_forked();
	shadow_open();
}

static struct shadow_thread *claim_row(struct shadow_file *file)
{
	uint64_t index = atomic_fetch_add(&file->thread_count, 1);
	struct shadow_thread *row = &file->threads[index < SHADOW_THREADS ? index : SHADOW_THREADS - 1];

	row->tid = (uint64_t)raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	self.row = row;
	return row;
}

static void add(struct shadow_cell *cell, uint64_t bytes)
{
	atomic_fetch_add_explicit(&cell->count, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&cell->bytes, bytes, memory_order_relaxed);
}

static void count(struct shadow_file *file, enum op op, uint64_t bytes)
{
	if (self.nested) {
		add(&file->nested[op], bytes);
		return;
	}
	add(&file->sure[op], bytes);
	if (bytes >= file->min_size)
		add(&file->big[op], bytes);
}

static void begins(struct shadow_file *file, enum op op, uint64_t bytes)
{
	struct shadow_thread *row = self.row ? self.row : claim_row(file);

	if (self.silent) {
		self.silent--;
		file->silent++;
		return;
	}
	count(file, op, bytes);
	atomic_fetch_add_explicit(&row->count, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&row->bytes, bytes, memory_order_relaxed);
}

void shadow_begins(enum op op, uint64_t bytes)
{
	self.calls++;		/* first: a handler that jumps now leaves a call that was done */
	begins(shadow(), op, bytes);
}

void shadow_ends(enum op op, uint64_t bytes, bool untold)
{
	if (self.silent_free)
		self.silent_free--;
	else if (untold)
		add(&shadow()->untold[op], bytes);
	else
		count(shadow(), op, bytes);
	self.calls++;		/* last: a handler that jumps before leaves one that was not done */
}

void shadow_moves(enum op release, enum op op, uint64_t old, uint64_t now)
{
	struct shadow_file *file = shadow();

	self.calls++;
	if (old != SIZE_MAX)
		count(file, release, old);
	if (now != SIZE_MAX)
		begins(file, op, now);
}

bool shadow_silenced(void)
{
	return self.silent != 0;
}

void shadow_silence(bool release)
{
	if (release)
		self.silent_free++;
	else
		self.silent++;
}

void shadow_lives(int64_t blocks, int64_t bytes)
{
	struct shadow_file *file = shadow();

	atomic_fetch_add_explicit(&file->live_blocks, blocks, memory_order_relaxed);
	atomic_fetch_add_explicit(&file->live_bytes, bytes, memory_order_relaxed);
}
