/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The heartbeat thread and its robust list.
 *
 * The kernel walks a dying thread's robust list: for each entry the futex lies futex_offset
 * bytes away, and where it holds the thread's tid it becomes FUTEX_OWNER_DIED and one waiter is
 * woken.  The entries must not lie in memory that the target can write, so every segment's
 * first page is mapped a second time, right behind a private page that holds the entry:
 *
 *     hold->pages   +---------------+------------------------+
 *                   | entry         | channel_header ..owner |
 *                   +---------------+------------------------+
 *                   private page      the segment's page 0
 *
 * which makes the offset the same for all of them. */
#include "launcher/heartbeat.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define STACK_BYTES	(64 * 1024)

_Static_assert(offsetof(struct channel_header, owner) < CHANNEL_PAGE, "owner in the first page");
#define OWNER_OFFSET	((long)(CHANNEL_PAGE + offsetof(struct channel_header, owner)))

struct hold {
	const struct segment *segment;
	void *pages;
};

struct heartbeat {
	pthread_t thread;
	pthread_mutex_t lock;		/* guards all below */
	pthread_cond_t changed;
	int stop, ready;
	uint32_t tid;
	struct robust_list_head robust;	/* read by the kernel when the thread dies */
	struct hold *holds;
	size_t count;
};

static void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The kernel may look between any two stores. */
static void robust_store(struct robust_list **place, struct robust_list *value)
{
	__atomic_store_n(place, value, __ATOMIC_SEQ_CST);
}

static void robust_link(struct heartbeat *b, struct robust_list *entry, struct channel_header *h)
{
	robust_store(&b->robust.list_op_pending, entry);
	robust_store(&entry->next, b->robust.list.next);
	atomic_store(&h->owner, b->tid);
	robust_store(&b->robust.list.next, entry);
	robust_store(&b->robust.list_op_pending, NULL);
}

static void robust_unlink(struct heartbeat *b, struct robust_list *entry)
{
	struct robust_list *at = &b->robust.list;

	while (at->next != entry && at->next != &b->robust.list)
		at = at->next;
	if (at->next == entry)
		robust_store(&at->next, entry->next);
}

static void beat(struct heartbeat *b)
{
	for (size_t i = 0; i < b->count; i++)
		atomic_fetch_add(&b->holds[i].segment->header->heartbeat, 1);
}

static void *heartbeat_main(void *arg)
{
	struct heartbeat *b = arg;
	struct timespec at;

	pthread_mutex_lock(&b->lock);
	b->tid = (uint32_t)syscall(SYS_gettid);
	syscall(SYS_set_robust_list, &b->robust, sizeof(b->robust));
	b->ready = 1;
	pthread_cond_broadcast(&b->changed);
	clock_gettime(CLOCK_MONOTONIC, &at);
	while (!b->stop) {
		at.tv_nsec += HEARTBEAT_MS * 1000000L;
		if (at.tv_nsec >= 1000000000L) {
			at.tv_nsec -= 1000000000L;
			at.tv_sec++;
		}
		while (!b->stop && pthread_cond_timedwait(&b->changed, &b->lock, &at) == 0)
			;
		beat(b);
		clock_gettime(CLOCK_MONOTONIC, &at);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static int start_thread(struct heartbeat *b)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&b->thread, &attr, heartbeat_main, b);
	pthread_attr_destroy(&attr);
	return -rc;
}

int heartbeat_new(struct heartbeat **result)
{
	struct heartbeat *b = xcalloc(1, sizeof(*b));
	pthread_condattr_t clock;
	int rc;

	pthread_mutex_init(&b->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&b->changed, &clock);
	pthread_condattr_destroy(&clock);
	b->robust.list.next = &b->robust.list;
	b->robust.futex_offset = OWNER_OFFSET;
	b->holds = xcalloc(HEARTBEAT_HOLDS, sizeof(*b->holds));
	rc = start_thread(b);
	if (rc) {
		free(b->holds);
		free(b);
		return rc;
	}
	*result = b;
	return 0;
}

static int map_pages(const struct segment *segment, void **pages)
{
	char *at = mmap(NULL, 2 * CHANNEL_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return -errno;
	if (mmap(at + CHANNEL_PAGE, CHANNEL_PAGE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, segment->fd, 0) == MAP_FAILED) {
		int rc = -errno;

		munmap(at, 2 * CHANNEL_PAGE);
		return rc;
	}
	*pages = at;
	return 0;
}

int heartbeat_hold(struct heartbeat *b, const struct segment *segment)
{
	void *pages = NULL;
	int rc;

	rc = map_pages(segment, &pages);
	if (rc)
		return rc;
	pthread_mutex_lock(&b->lock);
	while (!b->ready)
		pthread_cond_wait(&b->changed, &b->lock);
	if (b->count < HEARTBEAT_HOLDS) {
		robust_link(b, pages, segment->header);
		b->holds[b->count++] = (struct hold){ segment, pages };
	} else {
		rc = -ENOSPC;
	}
	pthread_mutex_unlock(&b->lock);
	if (rc)
		munmap(pages, 2 * CHANNEL_PAGE);
	return rc;
}

static void wake_everybody(const struct segment *segment)
{
	struct channel_header *h = segment->header;
	uint32_t used;

	futex_wake_all(&h->owner);
	futex_wake_all(&h->go);
	futex_wake_all(&h->region_seq);
	used = atomic_load(&h->regions_used);
	for (uint32_t i = 0; i < used && i < segment->region_count; i++)
		futex_wake_all(&segment_region(segment, i)->drain_seq);
}

static void hold_end(struct heartbeat *b, size_t i)
{
	struct hold hold = b->holds[i];

	atomic_store(&hold.segment->header->closing, 1);
	atomic_store(&hold.segment->header->owner, 0);
	robust_unlink(b, hold.pages);
	b->holds[i] = b->holds[--b->count];
	munmap(hold.pages, 2 * CHANNEL_PAGE);
	wake_everybody(hold.segment);
}

void heartbeat_drop(struct heartbeat *b, const struct segment *segment)
{
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->count; i++) {
		if (b->holds[i].segment == segment) {
			hold_end(b, i);
			break;
		}
	}
	pthread_mutex_unlock(&b->lock);
}

size_t heartbeat_inodes(struct heartbeat *b, uint64_t *inodes, size_t max)
{
	size_t n;

	pthread_mutex_lock(&b->lock);
	for (n = 0; n < b->count && n < max; n++)
		inodes[n] = b->holds[n].segment->inode;
	pthread_mutex_unlock(&b->lock);
	return n;
}

bool heartbeat_any(struct heartbeat *b, bool (*test)(const struct segment *))
{
	bool found = false;

	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->count && !found; i++)
		found = test(b->holds[i].segment);
	pthread_mutex_unlock(&b->lock);
	return found;
}

void heartbeat_pause(struct heartbeat *b, bool paused)
{
	pthread_mutex_lock(&b->lock);
	for (size_t i = 0; i < b->count; i++)
		atomic_store(&b->holds[i].segment->header->paused, paused);
	pthread_mutex_unlock(&b->lock);
}

void heartbeat_free(struct heartbeat *b)
{
	pthread_mutex_lock(&b->lock);
	while (b->count)
		hold_end(b, b->count - 1);
	b->stop = 1;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b->holds);
	free(b);
}
