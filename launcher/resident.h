/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampling from outside which pages of a process's anonymous mappings are resident. */
#ifndef LAUNCHER_RESIDENT_H
#define LAUNCHER_RESIDENT_H

#include <stdint.h>
#include <sys/types.h>

struct channel_region;
struct session;

/* The sampling of one process.  All zero before the first call. */
struct resident {
	uint64_t since_ns;	/* when it was looked at first */
	uint64_t due_ns;
	const char *failed;	/* why there are no samples (any more); NULL: there are */
};

/* Takes a sample if it is due, at least interval_ms apart but for the first few (a program that
 * runs for a second deserves a curve, too), and so rarely that it costs less than a hundredth of
 * the time.  What prevents it is put into the trace as fact "residency", once.
 * region tells what memory is the hook's.  Nanoseconds until the next. */
uint64_t resident_watch(struct resident *resident, struct session *session, pid_t pid,
			const struct channel_region *region, unsigned interval_ms, uint64_t now_ns);

/* Bytes of address space that the hook has reserved for itself, guard pages left out.  region may be NULL. */
uint64_t resident_own(const struct channel_region *region);

#endif
