/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page that verifying hooks and a test share. */
#include "hook/verify_share.h"

#include <fcntl.h>

#include "hook/core.h"
#include "hook/memory.h"
#include "hook/raw.h"
#include "hook/ring.h"

#define PROT_READ_WRITE	3
#define SHARED		1
#define NAP_MS		100u
#define PATIENCE	300u	/* naps; a test that does not answer is gone */

static struct verify_page nobody;
struct verify_page *verify_page = &nobody;

static const char *named_page(void)
{
	char **env = core_environment();

	for (; env && *env; env++) {
		const char *name = VERIFY_ENV "=", *e = *env;

		while (*name && *e == *name) {
			name++;
			e++;
		}
		if (!*name)
			return e;
	}
	return NULL;
}

void verify_share_init(void)
{
	const char *path = verify_page == &nobody ? named_page() : NULL;
	long fd, at;

	if (!path)
		return;
	fd = raw_call(RAW_NR_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0, 0);
	if (fd < 0)
		return;
	at = raw_call6(RAW_NR_mmap, 0, sizeof(*verify_page), PROT_READ_WRITE, SHARED, fd, 0);
	raw_call(RAW_NR_close, fd, 0, 0, 0, 0);
	if (at > 0 || at < -4095)
		verify_page = (void *)at;
}

/* The stack below this frame stays as it is until the test has answered. */
static void show(const struct verify_walk *walk)
{
	struct verify_page *p = verify_page;
	uint32_t none = 0, ask, answered;

	if (!atomic_compare_exchange_strong(&p->sampler, &none,
					    (uint32_t)raw_call(RAW_NR_gettid, 0, 0, 0, 0, 0)))
		return;
	p->pid = (uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0);
	p->root = walk->root;
	p->count = walk->count;
	memcpy(p->stack, walk->frames, walk->count * sizeof(*p->stack));
	ask = atomic_fetch_add(&p->asked, 1) + 1;
	ring_wake(&p->asked);
	for (unsigned naps = 0; naps < PATIENCE; naps++) {
		answered = p->answered;
		if ((int32_t)(answered - ask) >= 0)
			return;
		ring_sleep(&p->answered, answered, NAP_MS);
	}
	p->every = 0;
}

void verify_captured(const struct verify_walk *walk)
{
	struct verify_page *p = verify_page;
	uint64_t every = p->every, number = atomic_fetch_add(&p->captures, 1);

	atomic_fetch_add(&p->frames, walk->count);
	if (every && number % every == every / 2)
		show(walk);
}
