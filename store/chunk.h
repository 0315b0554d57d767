/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of the .mtk container, as memtrack-trace(5) describes them.
 *
 *	head | chunk | chunk | ... | index chunk | trailer chunk
 *
 *	head   0 signature (8)  8 version (u32)  12 session (u32)
 *	chunk  0 "MTCK"  4 kind (u8)  5 flags (u8)  6 zero (u16)  8 session (u32)
 *	       12 raw length (u32)  16 stored length (u32)  20 length of the first part (u32)
 *	       24 first stamp (u64)  32 last stamp (u64)  40 events (u64)
 *	       48 XXH64 of the stored payload (u64)
 *	       56 zero (u32)  60 low half of the XXH64 of bytes 0..59 (u32)  64 payload
 *
 * All little-endian.  The header has a check of its own, so that a damaged length is noticed
 * before anybody waits for that many bytes. */
#ifndef STORE_CHUNK_H
#define STORE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_SIGNATURE		"\x89MTRK\r\n\x1a"
#define STORE_HEAD_BYTES	16u
#define STORE_CHUNK_MAGIC	"MTCK"
#define STORE_CHUNK_BYTES	64u
#define STORE_RAW_GOAL		(512u << 10)	/* a chunk is closed when it holds as much */
#define STORE_RAW_MAX		(4u << 20)	/* most a chunk may hold */

enum chunk_kind {
	CHUNK_RECORDS = 1,
	CHUNK_INDEX = 2,	/* see store/index.h */
	CHUNK_TRAILER = 3,	/* no payload; first stamp: offset of the index; events: in all */
};

#define CHUNK_ZSTD	1u	/* flag: the payload is zstd frames */
#define CHUNK_COLUMNS	2u	/* flag: unpacked it is parts (store/columns.h), each a frame of its own */

struct chunk_header {
	uint8_t kind, flags;
	uint32_t session, raw, stored;
	uint32_t part;		/* length of the first part, 0 when there are no parts */
	uint64_t first_stamp, last_stamp, events, check;
};

void chunk_head_write(uint8_t *at, uint32_t session);

/* Writes the header, its own check included. */
void chunk_header_write(uint8_t *at, const struct chunk_header *h);

/* True when the STORE_CHUNK_BYTES at `at` are an undamaged header with possible lengths. */
bool chunk_header_read(const uint8_t *at, struct chunk_header *h);

uint64_t chunk_check(const uint8_t *payload, size_t length);

static inline void put_le32(uint8_t *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static inline void put_le64(uint8_t *at, uint64_t value)
{
	put_le32(at, (uint32_t)value);
	put_le32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t get_le32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get_le64(const uint8_t *at)
{
	return get_le32(at) | (uint64_t)get_le32(at + 4) << 32;
}

#endif
