/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of a segment in the launcher. */
#include "launcher/family.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

static uint64_t address_space(pid_t pid)
{
	struct rlimit limit;

	if (prlimit(pid, RLIMIT_AS, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

int family_new(struct family **result, struct heartbeat *heartbeat,
	       const struct channel_settings *settings, bool follow, pid_t pid)
{
	struct family *f = xcalloc(1, sizeof(*f));
	int rc;

	f->heartbeat = heartbeat;
	rc = segment_new(&f->segment, settings, follow ? SEGMENT_REGIONS_FOLLOW : 1,
			 address_space(pid));
	if (!rc) {
		rc = heartbeat_hold(heartbeat, &f->segment);
		if (rc)
			segment_release(&f->segment);
	}
	if (rc) {
		free(f);
		return rc;
	}
	*result = f;
	return 0;
}

int family_adopt(struct family **result, struct heartbeat *heartbeat, const struct segment *segment)
{
	struct family *f = xcalloc(1, sizeof(*f));
	int rc;

	f->heartbeat = heartbeat;
	f->segment = *segment;
	f->attached = true;
	rc = heartbeat_hold(heartbeat, &f->segment);
	if (rc) {
		segment_release(&f->segment);
		free(f);
		return rc;
	}
	*result = f;
	return 0;
}

void family_free(struct family *f)
{
	heartbeat_drop(f->heartbeat, &f->segment);
	if (f->attached)
		segment_forget_events(&f->segment);
	segment_release(&f->segment);
	free(f);
}

static void release(void *owner)
{
	family_free(owner);
}

static void returned(void *owner, unsigned region)
{
	struct family *f = owner;

	atomic_store(&f->segment.heard[region], false);
}

struct session_channel family_channel(struct family *f)
{
	const struct segment *s = &f->segment;

	return (struct session_channel){
		.header = s->header, .segment_bytes = s->bytes,
		.region_offset = s->region_offset, .region_bytes = s->region_bytes,
		.region_count = s->region_count, .nodes_max = s->nodes_max,
		.chunks_max = s->chunks_max, .threads_max = s->threads_max,
		.settings = s->settings, .release = release, .returned = returned, .owner = f,
	};
}

void family_set_clock(struct family *f, uint32_t clock)
{
	f->segment.settings.clock = clock;
	f->segment.header->settings.clock = clock;
}

void family_go(struct family *f)
{
	_Atomic uint32_t *go = &f->segment.header->go;

	atomic_store(go, 1);
	syscall(SYS_futex, go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
