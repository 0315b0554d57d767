/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nothing can be injected yet. */
#include "launcher/attach.h"

#include <errno.h>
#include <stdio.h>

static int not_yet(char reason[ATTACH_REASON])
{
	snprintf(reason, ATTACH_REASON, "running processes cannot be traced yet");
	return -ENOSYS;
}

int attach_open(struct attachment **attachment, const struct launch *launch, char reason[ATTACH_REASON])
{
	(void)attachment;
	(void)launch;
	return not_yet(reason);
}

int attach_enter(struct attachment *attachment, struct segment *segment, char reason[ATTACH_REASON])
{
	(void)attachment;
	(void)segment;
	return not_yet(reason);
}

int attach_begin(struct attachment *attachment, const struct segment *segment, char reason[ATTACH_REASON])
{
	(void)attachment;
	(void)segment;
	return not_yet(reason);
}

const char *attach_method(const struct attachment *attachment)
{
	(void)attachment;
	return "";
}

const char *attach_patched(const struct attachment *attachment)
{
	(void)attachment;
	return "";
}

const char *attach_missed(const struct attachment *attachment)
{
	(void)attachment;
	return "";
}

uint64_t attach_segment(const struct attachment *attachment)
{
	(void)attachment;
	return 0;
}

void attach_close(struct attachment *attachment)
{
	(void)attachment;
}

int attach_restore(pid_t pid, char reason[ATTACH_REASON])
{
	(void)pid;
	return not_yet(reason);
}
