/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program counters, also those that signal frames keep. */
#include "launcher/attach_inside.h"

#include "inject/patch_frames.h"

struct thread *attach_usable_thread(struct injection *i)
{
	for (size_t n = 0; n < threads_count(i); n++)
		if (thread_usable(threads_at(i, n)))
			return threads_at(i, n);
	return NULL;
}

bool attach_inside(struct injection *i, uint64_t start, uint64_t end)
{
	struct maps maps;
	bool inside;

	if (maps_read(injection_proc(i), &maps))
		return true;
	if (frames_inside(i, &maps, start, end, false, &inside))
		inside = true;
	maps_release(&maps);
	return inside;
}
