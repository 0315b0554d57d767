/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reading end of the .mtk container: bytes in as they come, records out chunk by chunk.
 *
 * It never reads by itself, so files, growing files, stdin and sockets are all the same to it.
 * Memory is bounded by STORE_RAW_MAX and the chunk being read, whatever lengths the bytes claim. */
#ifndef STORE_READER_H
#define STORE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_reader;

struct chunk_summary {
	uint64_t offset;	/* of the chunk's header in the stream */
	uint32_t session;
	uint64_t first_stamp, last_stamp;
	uint64_t events;
};

struct store_reader *store_reader_new(void);
void store_reader_free(struct store_reader *r);

/* Takes the next bytes of the stream (all of them, copied). 0, or -EBADMSG when the stream is no
 * .mtk file at all (its head is wrong), or -ENOTSUP when another version of the format wrote it. */
int store_feed(struct store_reader *r, const void *bytes, size_t length);

/* The next chunk: 1 with *records (whole records; valid until the next call on r), 0 when more
 * bytes are needed, -EBADMSG once for each damaged place, which is skipped: call again. */
int store_next(struct store_reader *r, const uint8_t **records, size_t *length,
	       struct chunk_summary *summary);

/* After the end of the stream: bytes of an incomplete chunk at its end (0: none), and whether
 * the trailer was seen, so that the file is complete. */
uint64_t store_leftover(const struct store_reader *r);
bool store_complete(const struct store_reader *r);

/* Damaged places so far, and bytes skipped because of them. */
uint64_t store_damaged(const struct store_reader *r, uint64_t *bytes);

/* True when the bytes can be the start of a .mtk stream (length may be short: then they are a
 * prefix of one). */
bool store_is_trace(const void *bytes, size_t length);

#endif
