/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory primitives without libc; general registers only, so "rep" forms where they pay. */
#include "hook/memory.h"

#include "hook/raw.h"
#include "trace/channel.h"

#define PROT_READ_WRITE		3
#define MAP_PRIVATE_ANON_NORESERVE 0x4022
#define MAP_PRIVATE_NORESERVE	0x4002
#define MEMFD_CLOEXEC		1
#define SET_VMA			0x53564d41
#define SET_VMA_ANON_NAME	0
#define RESERVE_NAME		"memtrack-reserve"
#define WIPEONFORK		18
#define NOHUGEPAGE		15
#define DONTNEED		4
#define HUGE_PAGE		(2u << 20)
#define PAGE			RAW_PAGE_MAX
#define FIXED			0x10
#define GROWSDOWN		0x100

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	while (n--)
		*d++ = *s++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if (d <= s) {
		while (n--)
			*d++ = *s++;
	} else {
		while (n--)
			d[n] = s[n];
	}
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	unsigned char *d = to;

	while (n--)
		*d++ = (unsigned char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++) {
		if (*x != *y)
			return *x - *y;
	}
	return 0;
}

size_t hook_strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int hook_streq(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

char *hook_copy_string(char *to, const char *s, size_t size)
{
	size_t n = hook_strlen(s);

	if (n > size - 1)
		n = size - 1;
	memcpy(to, s, n);
	to[n] = 0;
	return to;
}

static int is_error(long r)
{
	return r < 0 && r > -4096;
}

static struct {
	uintptr_t start, end;
} own[CHANNEL_OWN_MAX];
static unsigned own_count;

static bool late;

static long map(long at, size_t size, int prot, int flags)
{
	return raw_call6(RAW_NR_mmap, at, (long)size, prot, MAP_PRIVATE_ANON_NORESERVE | flags, -1, 0);
}

void hook_comes_late(void)
{
	late = true;
}

/* Where the kernel cannot name anonymous memory, the page below it, which nobody can touch, tells. */
static void name_reserve(long guard, size_t size)
{
	long fd = raw_call(RAW_NR_memfd_create, RESERVE_NAME, MEMFD_CLOEXEC, 0, 0, 0);

	raw_call(RAW_NR_prctl, SET_VMA, SET_VMA_ANON_NAME, guard + PAGE, size, RESERVE_NAME);
	if (is_error(fd))
		return;
	raw_call6(RAW_NR_mmap, guard, PAGE, 0, MAP_PRIVATE_NORESERVE | FIXED, fd, 0);
	raw_call(RAW_NR_close, fd, 0, 0, 0, 0);
}

/* A program that ran before may have all its future memory locked (mlockall): all of this would be touched at once. */
static bool open_up(long at, size_t size, int flags)
{
	if (!late)
		return !is_error(map(at, size, PROT_READ_WRITE, FIXED | flags));
	if (is_error(map(at, size, 0, FIXED | flags)))
		return false;
	raw_call(RAW_NR_munlock, at, size, 0, 0, 0);
	return !is_error(raw_call(RAW_NR_mprotect, at, size, PROT_READ_WRITE, 0, 0));
}

/* Memory that could grow downwards counts as stack, any other against RLIMIT_DATA, which belongs
 * to the program.  What lies below keeps it from growing: a wild access there still faults.
 *
 *	| no access | unused | size bytes ... |
 */
void *hook_reserve(size_t size)
{
	long guard = map(0, 2 * PAGE + size, 0, 0), p = guard + PAGE;

	if (is_error(guard))
		return NULL;
	if (!open_up(p, PAGE + size, GROWSDOWN) && !open_up(p, PAGE + size, 0)) {
		raw_call(RAW_NR_munmap, guard, 2 * PAGE + size, 0, 0, 0);
		return NULL;
	}
	p += PAGE;
	if (size >= HUGE_PAGE)
		raw_call(RAW_NR_madvise, p, size, NOHUGEPAGE, 0, 0);	/* sparse use: small pages */
	if (late)
		name_reserve(guard, PAGE + size);
	if (own_count < CHANNEL_OWN_MAX) {
		own[own_count].start = (uintptr_t)guard;
		own[own_count++].end = (uintptr_t)p + size;
	}
	return (void *)p;
}

void hook_clear(void *reserved, size_t size)
{
	raw_call(RAW_NR_madvise, reserved, size, DONTNEED, 0, 0);
}

bool hook_anonymous(void *pages, size_t size)
{
	return !is_error(map((long)pages, size, PROT_READ_WRITE, FIXED));
}

bool hook_owns(uintptr_t start, uintptr_t end)
{
	for (unsigned i = 0; i < own_count; i++) {
		if (start >= own[i].start && end <= own[i].end)
			return true;
	}
	return false;
}

void hook_tell_own(struct channel_range *ranges)
{
	for (unsigned i = 0; i < own_count; i++) {
		ranges[i].start = own[i].start;
		ranges[i].end = own[i].end;
	}
}

bool hook_wipe_on_fork(void *page, size_t size)
{
	return raw_call(RAW_NR_madvise, page, size, WIPEONFORK, 0, 0) == 0;
}
