/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Beginning a session in a process that already runs. */
#include "hook/attach.h"

#include <errno.h>
#include <stddef.h>

#include "hook/cfi_frames.h"
#include "hook/clock.h"
#include "hook/core.h"
#include "hook/memory.h"
#include "hook/modules_elf.h"
#include "hook/raw.h"
#include "hook/shadow.h"
#include "hook/thread.h"
#include "hook/tls.h"

#define FRAMES_MAX	(1ull << 28)

#define EXPORTED __attribute__((visibility("default"), used))

struct attach_state memtrack_state EXPORTED = {
	.magic = ATTACH_MAGIC,
	.version = ATTACH_VERSION,
};

#ifndef HOOK_MAPPED
/* Not among the zeros: the launcher changes it in the file. */
volatile uint32_t memtrack_injected __attribute__((visibility("default"), used, section(".data"))) = 0;
#endif

bool attach_ended(void)
{
	return hook.attached && !memtrack_state.recording;
}

static bool is_channel(const struct attach_request *r)
{
	const struct channel_header *h = (const void *)(uintptr_t)r->segment;

	return h && r->segment_bytes >= CHANNEL_PAGE && h->magic == CHANNEL_MAGIC &&
		h->version == CHANNEL_VERSION && h->segment_bytes == r->segment_bytes &&
		h->threads_max <= CHANNEL_THREADS_MAX;
}

/* Is it free for a session?  A fork child has the state of its parent. */
static long check(const struct attach_request *r)
{
	if (!r || r->version != ATTACH_VERSION || r->bytes < sizeof(*r) || !is_channel(r))
		return -EINVAL;
	if (!attach_injected() || (hook.state == HOOK_ON && !hook.attached))
		return -EEXIST;
	if (hook.state == HOOK_STARTING || (hook_life.now && memtrack_state.recording))
		return -EBUSY;
	return 0;
}

/* What blocks were before is not known, and never an error.  A block that an allocator had in hand
 * as the patches were planted may come back unseen: so at first nobody remembers what was freed. */
static void start_shadow(void)
{
	if (shadow.top)
		shadow_forget();
	else if (hook.findings || hook.selective || hook.header->settings.track_threads[0])
		shadow_init();
	if (!shadow.top)
		hook.findings = 0;
	hook.own_free = shadow.top != NULL;
	hook.one_family = hook.header->settings.one_family;
	hook.settle_until = hook_stamp() + SETTLE_TICKS;
}

static void read_frames(uintptr_t frames, uint64_t bytes)
{
	void *memory = bytes < FRAMES_MAX ? hook_reserve(cfi_frames_reserve_bytes(bytes)) : NULL;

	if (memory)
		cfi_frames_index(memory, frames, bytes);
}

static void place_process(const struct attach_request *r)
{
	for (unsigned i = 0; i < ATTACH_ALLOCATORS; i++)
		hook.allocators[i] = r->allocators[i];
	hook.main_stack_low = r->stack_low;
	hook.main_stack_high = r->stack_high;
	hook.tid_offset = (int32_t)r->tid_offset;
	hook_tls_place(hook.tid_offset);
	if (r->vdso)
		clock_from_vdso(r->vdso);
	if (r->program)
		modules_set_program(r->program, r->program_bias);
	if (r->program && r->frames && !cfi_frames_start())
		read_frames(r->frames, r->frames_bytes);
}

static void tell(const struct attach_request *r)
{
	memtrack_state.segment = r->segment;
	memtrack_state.segment_bytes = r->segment_bytes;
	memtrack_state.shadow = (uintptr_t)shadow.top;
	memtrack_state.shadow_bytes = shadow_bytes();
	memtrack_state.life = (uintptr_t)&hook_life.now;
	memtrack_state.alone = 0;
	memtrack_state.sessions++;
	memtrack_state.recording = 1;
}

EXPORTED long memtrack_attach(const struct attach_request *request);
EXPORTED long memtrack_attach(const struct attach_request *request)
{
	long error = check(request);

	if (error)
		return error;
	if (!core_wipe_life())
		return -ENOMEM;
	hook.state = HOOK_STARTING;
	hook_life.now = 0;
	hook.attached = 1;
	hook_comes_late();
	place_process(request);
	thread_forget_all();
	core_view((struct channel_header *)(uintptr_t)request->segment);
	start_shadow();
	core_claim_first();
	tell(request);
	hook.state = HOOK_ON;
	core_go();
	return 0;
}
