/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Redirects functions of a running process into the hook, and gives them back.
 *
 *	patch_plan_make		looks and decides; nothing is stopped, nothing changed
 *	patch_prepare		one thread held: stubs and copies are mapped; no code of the target changed
 *	patch_plant		all threads held: calls come by the hook from now on
 *	patch_remove		all threads held: every byte as before
 *
 * A jump over the entry leads to a stub, which pushes the address of the entry's copy (inject/code.h) and
 * jumps into the hook.  So saved pointers, modules that come later, dlsym and the like are all
 * caught.  Where an entry cannot be patched the slots that hold the function's address are
 * (inject/got.h), which catches less.
 *
 * Stubs, copies and what the bytes were before lie in mappings of a memfd called memtrack-stubs, which
 * stay: threads may be in there, or return there, at any later time.  Whoever comes later, with or
 * without the memory of this process, takes the patches away by what stands there, also in a fork
 * child, which inherits them.
 */
#ifndef INJECT_PATCH_H
#define INJECT_PATCH_H

#include "inject/definitions.h"
#include "inject/threads.h"

#define PATCH_AREA_NAME		"memtrack-stubs"	/* "/memfd:memtrack-stubs (deleted)" in /proc/PID/maps */

struct patch_want {
	const struct definition *definition; /* lives as long as the plan */
	uint64_t entry;			/* the hook's */
	const char *symbol;		/* the function's name; lives as long as the plan */
};

enum patch_how {
	PATCH_NOT,			/* nothing can be done: all its calls are missed */
	PATCH_ENTRY,			/* all its calls are caught */
	PATCH_SLOTS,			/* calls by the slots of the objects that are loaded now */
};

/* What became of one want. */
struct patch_row {
	const struct definition *definition;
	enum patch_how how;
	unsigned slots;			/* PATCH_SLOTS: how many */
	bool planted;			/* all of it was, when the plan was made */
	char reason[96];		/* unless PATCH_ENTRY: why */
};

struct patch_plan;

/* 0 or -errno.  Rows that cannot be patched are no error. */
int patch_plan_make(struct injection *, const struct patch_want *, size_t count, struct patch_plan **,
		    char reason[INJECTION_REASON]);

/* By the want's index; may change with prepare and plant.  Lives as long as the plan. */
const struct patch_row *patch_plan_row(const struct patch_plan *, size_t index);

/* Brings stubs and copies into the target by remote calls of the held thread. */
int patch_prepare(struct patch_plan *, struct injection *, struct thread *, char reason[INJECTION_REASON]);

/* Plants all or, after an error, nothing.  A function whose code has changed since is left alone. */
int patch_plant(struct patch_plan *, struct injection *, char reason[INJECTION_REASON]);

/* The plan alone; what is planted stays. */
void patch_plan_free(struct patch_plan *);

/* How many jumps and slots are planted in the process now, by whomever.  Needs no stop.  -errno. */
int patch_count(struct injection *);

/* Takes all of them away; *removed (may be NULL) is how many.  Bytes that somebody else overwrote meanwhile
 * stay.  -errno with a reason: some could not be given back. */
int patch_remove(struct injection *, unsigned *removed, char reason[INJECTION_REASON]);

#endif
