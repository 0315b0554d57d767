/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The index at the end of a finished .mtk file: where the chunks are and what time they cover.
 *
 * Payload of the index chunk: for each chunk of records, varints: the difference of its offset
 * from the one before, first stamp, last stamp minus first stamp, events. */
#ifndef STORE_INDEX_H
#define STORE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "store/reader.h"

struct store_index {
	struct chunk_summary *items;
	size_t count, capacity;
	uint64_t events;	/* in all */
};

/* Reads the index of a seekable file without reading the rest (pread; the position stays).
 * 0 with a list the caller releases, -ENODATA when the file has no (good) trailer: it was cut,
 * is still growing, or is no trace; -errno of reading. */
int store_index_read(int fd, struct store_index *index);
void store_index_release(struct store_index *index);

#endif
