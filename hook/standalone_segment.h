/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segment of a hook without a launcher: the same layout in private memory. */
#ifndef HOOK_STANDALONE_SEGMENT_H
#define HOOK_STANDALONE_SEGMENT_H

struct channel_header;
struct standalone_settings;

/* One region; smaller where the address space is limited. NULL: there is no room at all. For the
 * life of the process image. */
struct channel_header *standalone_segment(const struct standalone_settings *settings);

#endif
