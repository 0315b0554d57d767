/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* No unwinder on this CPU: every stack says so. */
#include "hook/unwind.h"

#include "trace/channel.h"

size_t unwind_reserve_bytes(unsigned threads_max)
{
	(void)threads_max;
	return CHANNEL_PAGE;
}

void unwind_init(void *reserved, struct channel_header *header, struct channel_region *region,
		 unsigned depth)
{
	(void)reserved;
	(void)header;
	(void)region;
	(void)depth;
}

uint32_t unwind_capture(unsigned slot, struct channel_thread *thread, uintptr_t pc, uintptr_t sp,
			uintptr_t fp)
{
	(void)slot;
	(void)thread;
	(void)pc;
	(void)sp;
	(void)fp;
	return STACK_CUT_UNKNOWN;
}

void unwind_modules_changed(void)
{
}

void unwind_thread_start(unsigned slot, struct channel_thread *thread)
{
	(void)slot;
	(void)thread;
}

void unwind_forget_range(uintptr_t start, uintptr_t end)
{
	(void)start;
	(void)end;
}
