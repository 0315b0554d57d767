/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* futex_waitv (Linux 5.16), or short naps on the first word where it is missing. */
#include "launcher/doorbells.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

#define SHORT_NAP_NS	5000000u
#define WAIT_32		2u	/* FUTEX_32, which older headers lack */

/* struct futex_waitv of the kernel. */
struct waiter {
	uint64_t value, address;
	uint32_t flags, reserved;
};

void doorbells_add(struct doorbells *b, _Atomic uint32_t *word)
{
	if (b->count == DOORBELLS_MAX)
		return;
	b->items[b->count].word = word;
	b->items[b->count].value = atomic_load(word);
	b->count++;
}

static struct timespec deadline(uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / 1000000000u);
	t.tv_nsec = (long)(ns % 1000000000u);
	return t;
}

static void nap(const struct doorbells *b, uint64_t ns)
{
	struct timespec t = { 0, (long)(ns < SHORT_NAP_NS ? ns : SHORT_NAP_NS) };
	unsigned last = b->count - 1;

	syscall(SYS_futex, b->items[last].word, FUTEX_WAIT, b->items[last].value, &t, NULL, 0);
}

void doorbells_wait(const struct doorbells *b, uint64_t timeout_ns)
{
	struct waiter waiters[DOORBELLS_MAX];
	struct timespec until = deadline(timeout_ns);

	for (unsigned i = 0; i < b->count; i++)
		waiters[i] = (struct waiter){ b->items[i].value, (uintptr_t)b->items[i].word, WAIT_32, 0 };
	if (syscall(SYS_futex_waitv, waiters, b->count, 0, &until, CLOCK_MONOTONIC) < 0 && errno == ENOSYS)
		nap(b, timeout_ns);
}

void doorbell_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
