/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Getting the segment from the launcher at start. */
#ifndef HOOK_CONNECT_H
#define HOOK_CONNECT_H

struct channel_header;

/* Connects to the abstract socket `name`, receives the segment and maps it; no descriptor stays
 * open. The mapping lasts as long as the process image. NULL when there is no such launcher or
 * it speaks another version. */
struct channel_header *connect_launcher(const char *name);

/* Sleeps until the launcher lets the target start (or dies). */
void connect_wait_go(struct channel_header *header);

#endif
