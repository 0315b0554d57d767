/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heads and chunk headers of the .mtk container. */
#include "store/chunk.h"

#include <string.h>
#include <xxhash.h>

#include "trace/format.h"

void chunk_head_write(uint8_t *at, uint32_t session)
{
	memcpy(at, STORE_SIGNATURE, 8);
	put_le32(at + 8, TRACE_FORMAT_VERSION);
	put_le32(at + 12, session);
}

void chunk_header_write(uint8_t *at, const struct chunk_header *h)
{
	memset(at, 0, STORE_CHUNK_BYTES);
	memcpy(at, STORE_CHUNK_MAGIC, 4);
	at[4] = h->kind;
	at[5] = h->flags;
	put_le32(at + 8, h->session);
	put_le32(at + 12, h->raw);
	put_le32(at + 16, h->stored);
	put_le32(at + 20, h->part);
	put_le64(at + 24, h->first_stamp);
	put_le64(at + 32, h->last_stamp);
	put_le64(at + 40, h->events);
	put_le64(at + 48, h->check);
	put_le32(at + 60, (uint32_t)XXH64(at, 60, 0));
}

bool chunk_header_read(const uint8_t *at, struct chunk_header *h)
{
	if (memcmp(at, STORE_CHUNK_MAGIC, 4) || get_le32(at + 60) != (uint32_t)XXH64(at, 60, 0))
		return false;
	h->kind = at[4];
	h->flags = at[5];
	h->session = get_le32(at + 8);
	h->raw = get_le32(at + 12);
	h->stored = get_le32(at + 16);
	h->part = get_le32(at + 20);
	h->first_stamp = get_le64(at + 24);
	h->last_stamp = get_le64(at + 32);
	h->events = get_le64(at + 40);
	h->check = get_le64(at + 48);
	return h->raw <= STORE_RAW_MAX && h->stored <= h->raw;
}

uint64_t chunk_check(const uint8_t *payload, size_t length)
{
	return XXH64(payload, length, 0);
}
