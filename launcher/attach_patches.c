/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nothing can be patched yet. */
#include "launcher/attach_patches.h"

#include <errno.h>
#include <stdio.h>

int attach_patches_plan(struct attach_patches *patches, struct injection *injection,
			const struct attach_entries *entries, char reason[INJECTION_REASON])
{
	(void)patches;
	(void)injection;
	(void)entries;
	snprintf(reason, INJECTION_REASON, "running processes cannot be traced yet");
	return -ENOSYS;
}

int attach_patches_plant(struct attach_patches *patches, struct injection *injection,
			 char reason[INJECTION_REASON])
{
	return attach_patches_plan(patches, injection, NULL, reason);
}

const char *attach_patches_kind(const struct attach_patches *patches)
{
	(void)patches;
	return "";
}

int attach_patches_remove(struct injection *injection, char reason[INJECTION_REASON])
{
	(void)injection;
	(void)reason;
	return 0;
}

void attach_patches_release(struct attach_patches *patches)
{
	buffer_release(&patches->done);
	buffer_release(&patches->missed);
}
