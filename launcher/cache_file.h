/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files in the cache's directory: none is believed that others could have written. */
#ifndef LAUNCHER_CACHE_FILE_H
#define LAUNCHER_CACHE_FILE_H

#include <stdint.h>

#include "base/buffer.h"

/* Appends the whole of a file of at most `most` bytes.  0; -EPERM: it is not ours alone; other
 * -errno. */
int cache_file_read(int directory, const char *name, uint64_t most, struct buffer *out);

/* Replaces a file as a whole.  0 or -errno. */
int cache_file_write(int directory, const char *name, const struct buffer *data);

/* Removes files, those used longest ago first, until the rest has at most `most` bytes. */
void cache_file_bound(int directory, uint64_t most);

#endif
