/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which functions of a process are patched, in words and deeds. */
#ifndef LAUNCHER_ATTACH_PATCHES_H
#define LAUNCHER_ATTACH_PATCHES_H

#include <stdbool.h>

#include "base/buffer.h"
#include "inject/patch.h"
#include "launcher/attach_image.h"

/* Zero: there is none. */
struct attach_patches {
	struct definitions found;
	struct patch_plan *plan;
	size_t count;			/* of rows */
	bool entries, slots;		/* some are patched this way */
	bool one_family;		/* free and delete are one function: families cannot be told apart */
	struct buffer done;		/* "malloc, free in libc.so.6; ..."; valid when planted */
	struct buffer added;		/* of that: what was not planted before */
	struct buffer missed;		/* what is missed and why; empty: nothing */
};

/* Looks for everything that can be patched; nothing is stopped or changed.  The entries live as long as
 * the patches. */
int attach_patches_plan(struct attach_patches *patches, struct injection *injection,
			const struct attach_entries *entries, char reason[INJECTION_REASON]);

/* The code of glibc's allocators: see attach_request.allocators. */
void attach_patches_allocators(const struct attach_patches *patches, const struct attach_entries *entries,
			       struct attach_range ranges[ATTACH_ALLOCATORS]);

/* The file of the first function that is to be patched and is not yet; NULL: there is none.  Valid once planned. */
const char *attach_patches_new(const struct attach_patches *patches);

/* All threads are held meanwhile.  state: the hook's attach_state, which is told if there is only one; or 0. */
int attach_patches_plant(struct attach_patches *patches, struct injection *injection,
			 const struct attach_entries *entries, uint64_t state, char reason[INJECTION_REASON]);

/* "entry patch" or what else it is. */
const char *attach_patches_kind(const struct attach_patches *patches);

void attach_patches_release(struct attach_patches *patches);

#endif
