/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows of a mapped file that are in memory while many places in them are written to. */
#include "base/spill_windows.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vector.h"

#define WRITE_BYTES	((size_t)64 << 10)
/* A window is fetched after so many touches, which is about when their faults have cost as much as
 * that does.  When it pays seldom, because touches go all over, it is tried less and less often. */
#define TOUCHES		64u
#define TOUCHES_MAX	4096u

struct window {
	char *at;
	off_t offset;
	int fd;
	uint32_t touches;	/* since it was fetched, or before */
	uint64_t touched;	/* the last time, by the clock */
	bool fetched;
};

struct spill_windows {
	struct map by_address;	/* address / SPILL_WINDOW -> struct window */
	VECTOR(struct window *) fetched;
	size_t max;		/* of those */
	uint64_t clock;
	uint32_t wanted;	/* touches */
	bool closed;
};

struct spill_windows *spill_windows_new(size_t max)
{
	struct spill_windows *w = xcalloc(1, sizeof(*w));

	map_init(&w->by_address);
	w->max = max / SPILL_WINDOW < 2 ? 2 : max / SPILL_WINDOW;
	w->wanted = TOUCHES;
	return w;
}

void spill_windows_free(struct spill_windows *w)
{
	uint64_t key, value;
	size_t at = 0;

	while (map_each(&w->by_address, &at, &key, &value))
		free((void *)(uintptr_t)value);
	map_release(&w->by_address);
	vector_release(&w->fetched);
	free(w);
}

void spill_windows_add(struct spill_windows *w, char *at, size_t size, int fd, off_t offset)
{
	if ((uintptr_t)at % SPILL_WINDOW)
		return;
	for (size_t i = 0; i + SPILL_WINDOW <= size; i += SPILL_WINDOW) {
		struct window *window = xcalloc(1, sizeof(*window));

		window->at = at + i;
		window->offset = offset + (off_t)i;
		window->fd = fd;
		map_put(&w->by_address, (uintptr_t)window->at / SPILL_WINDOW, (uintptr_t)window);
	}
}

static void forget(struct spill_windows *w, const struct window *window)
{
	size_t i = 0;

	while (w->fetched.items[i] != window)
		i++;
	w->fetched.items[i] = w->fetched.items[--w->fetched.count];
}

void spill_windows_remove(struct spill_windows *w, const char *at, size_t size)
{
	for (size_t i = 0; i + SPILL_WINDOW <= size; i += SPILL_WINDOW) {
		uint64_t value;
		struct window *window;

		if (!map_remove(&w->by_address, ((uintptr_t)at + i) / SPILL_WINDOW, &value))
			continue;
		window = (struct window *)(uintptr_t)value;
		if (window->fetched)
			forget(w, window);
		free(window);
	}
}

bool spill_write(int fd, const char *data, size_t size, off_t at)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size < WRITE_BYTES ? size : WRITE_BYTES, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static bool read_all(int fd, char *data, off_t at)
{
	size_t size = SPILL_WINDOW;

	while (size) {
		ssize_t n = pread(fd, data, size, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

void *spill_map(size_t size)
{
	size_t extra = size % SPILL_WINDOW ? 0 : SPILL_WINDOW;
	char *at = mmap(NULL, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (at == MAP_FAILED || !extra)
		return at == MAP_FAILED ? NULL : at;
	before = (SPILL_WINDOW - (uintptr_t)at % SPILL_WINDOW) % SPILL_WINDOW;
	if (before)
		munmap(at, before);
	if (before < extra)
		munmap(at + before + size, extra - before);
	at += before;
	madvise(at, size, MADV_HUGEPAGE);
	return at;
}

/* Back to the file.  When that fails it stays in memory, for ever. */
static bool put_back(struct spill_windows *w, struct window *window)
{
	if (!spill_write(window->fd, window->at, SPILL_WINDOW, window->offset) ||
	    mmap(window->at, SPILL_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, window->fd,
		 window->offset) == MAP_FAILED)
		return false;
	if (window->touches < w->wanted)
		w->wanted = w->wanted < TOUCHES_MAX ? w->wanted * 2 : TOUCHES_MAX;
	else if (w->wanted > TOUCHES)
		w->wanted /= 2;
	window->touches = 0;
	window->fetched = false;
	forget(w, window);
	return true;
}

static struct window *oldest(const struct spill_windows *w)
{
	struct window *found = w->fetched.items[0];

	for (size_t i = 1; i < w->fetched.count; i++)
		if (w->fetched.items[i]->touched < found->touched)
			found = w->fetched.items[i];
	return found;
}

/* Nothing is lost on the way: the file's pages are there until what was read takes their place. */
static void fetch(struct spill_windows *w, struct window *window)
{
	char *at;

	window->touches = 0;
	while (w->fetched.count >= w->max)
		if (!put_back(w, oldest(w)))
			return;
	at = spill_map(SPILL_WINDOW);
	if (!at)
		return;
	if (!read_all(window->fd, at, window->offset) ||
	    mremap(at, SPILL_WINDOW, SPILL_WINDOW, MREMAP_MAYMOVE | MREMAP_FIXED, window->at) == MAP_FAILED) {
		munmap(at, SPILL_WINDOW);
		return;
	}
	window->fetched = true;
	vector_push(&w->fetched, window);
}

void spill_windows_touch(struct spill_windows *w, const void *at)
{
	const uint64_t *value = map_find(&w->by_address, (uintptr_t)at / SPILL_WINDOW);
	struct window *window;

	if (!value)
		return;
	window = (struct window *)(uintptr_t)*value;
	window->touched = ++w->clock;
	window->touches++;
	if (!window->fetched && !w->closed && window->touches >= w->wanted)
		fetch(w, window);
}

static bool is_fetched(const struct spill_windows *w, const char *at)
{
	const uint64_t *value = map_find(&w->by_address, (uintptr_t)at / SPILL_WINDOW);

	return value && ((const struct window *)(uintptr_t)*value)->fetched;
}

void spill_windows_let_go(const struct spill_windows *w, char *at, size_t size)
{
	size_t from = 0;

	for (size_t i = 0; w->fetched.count && i < size; i += SPILL_WINDOW) {
		if (!is_fetched(w, at + i))
			continue;
		if (i > from)
			madvise(at + from, i - from, MADV_DONTNEED);
		from = i + SPILL_WINDOW;
	}
	if (from < size)
		madvise(at + from, size - from, MADV_DONTNEED);
}

bool spill_windows_close(struct spill_windows *w)
{
	w->closed = true;
	while (w->fetched.count)
		if (!put_back(w, w->fetched.items[0]))
			return false;
	return true;
}

size_t spill_windows_bytes(const struct spill_windows *w)
{
	return w->fetched.count * SPILL_WINDOW;
}
