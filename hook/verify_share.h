/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts and samples for a test that looks on (hook/verify_page.h). */
#ifndef HOOK_VERIFY_SHARE_H
#define HOOK_VERIFY_SHARE_H

#include <stdint.h>

#include "hook/verify_page.h"

/* A stack, innermost frame first. */
struct verify_walk {
	uint32_t count, root;
	uint64_t frames[VERIFY_FRAMES_MAX];
};

/* Maps the page that the environment names; nobody looks on if there is none. */
void verify_share_init(void);

/* The page, or one that nobody sees. */
extern struct verify_page *verify_page __attribute__((visibility("hidden")));

/* Counts a capture; shows its stack and waits if it is a sample's turn. */
void verify_captured(const struct verify_walk *walk);

#endif
