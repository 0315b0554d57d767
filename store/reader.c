/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reading end of the .mtk container. */
#include "store/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "store/chunk.h"
#include "store/columns.h"
#include "trace/format.h"

/* Checksums of chunks that turned out to be none may cost this many bytes of work, and eight
 * times what was fed: a file made of false headers must not take quadratic time. */
#define WASTE_ALLOWED	(16u << 20)

/* data[start..length) is what was fed and not consumed; data[start] is byte `offset` of the
 * stream. */
struct store_reader {
	uint8_t *data;
	size_t start, length, capacity;
	uint64_t offset;
	uint8_t *raw, *parts;
	size_t raw_size;	/* of the largest chunk so far; parts as well */
	ZSTD_DCtx *zstd;
	bool opened;		/* the head was seen */
	bool scanning;		/* looking for the next chunk behind a damaged place */
	bool complete;
	int err;
	uint64_t damaged, skipped, wasted;
};

struct store_reader *store_reader_new(void)
{
	struct store_reader *r = xcalloc(1, sizeof(*r));

	r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		abort();
	return r;
}

void store_reader_free(struct store_reader *r)
{
	if (!r)
		return;
	ZSTD_freeDCtx(r->zstd);
	free(r->data);
	free(r->raw);
	free(r->parts);
	free(r);
}

static size_t available(const struct store_reader *r)
{
	return r->length - r->start;
}

static void consume(struct store_reader *r, size_t bytes)
{
	r->start += bytes;
	r->offset += bytes;
	if (r->scanning)
		r->skipped += bytes;
}

static void append(struct store_reader *r, const void *bytes, size_t length)
{
	if (r->start && r->length + length > r->capacity) {
		memmove(r->data, r->data + r->start, available(r));
		r->length -= r->start;
		r->start = 0;
	}
	if (r->length + length > r->capacity) {
		r->capacity = (r->length + length) * 3 / 2;
		r->data = xrealloc(r->data, r->capacity);
	}
	if (length)
		memcpy(r->data + r->length, bytes, length);
	r->length += length;
}

bool store_is_trace(const void *bytes, size_t length)
{
	return !memcmp(bytes, STORE_SIGNATURE, length < 8 ? length : 8);
}

/* A head opens the stream, and may come again where traces were put one behind the other. */
static int open_stream(struct store_reader *r)
{
	const uint8_t *at = r->data + r->start;

	if (!store_is_trace(at, available(r)))
		return -EBADMSG;
	if (available(r) < STORE_HEAD_BYTES)
		return 0;
	if (get_le32(at + 8) != TRACE_FORMAT_VERSION)
		return -ENOTSUP;
	r->opened = true;
	r->complete = false;
	consume(r, STORE_HEAD_BYTES);
	return 0;
}

int store_feed(struct store_reader *r, const void *bytes, size_t length)
{
	if (r->err)
		return r->err;
	append(r, bytes, length);
	if (!r->opened && available(r))
		r->err = open_stream(r);
	return r->err;
}

/* Moves to the next place where a chunk could begin, or to the last bytes that could become one. */
static void scan(struct store_reader *r)
{
	const uint8_t *from = r->data + r->start, *at = from;
	size_t left = available(r);

	while (left >= 4) {
		const uint8_t *found = memchr(at, STORE_CHUNK_MAGIC[0], left - 3);

		if (!found) {
			at += left - 3;
			break;
		}
		left -= (size_t)(found - at);
		at = found;
		if (!memcmp(at, STORE_CHUNK_MAGIC, 4))
			break;
		at++;
		left--;
	}
	consume(r, (size_t)(at - from));
}

/* The damaged bytes begin here; `bytes` of them are certainly no chunk. */
static int damage(struct store_reader *r, size_t bytes)
{
	int err = r->scanning ? 0 : -EBADMSG;

	r->damaged += !r->scanning;
	r->scanning = true;
	consume(r, bytes);
	return err;
}

static void raw_reserve(struct store_reader *r, size_t size)
{
	if (size <= r->raw_size)
		return;
	free(r->raw);
	free(r->parts);
	r->raw = xmalloc(size);
	r->parts = xmalloc(size);
	r->raw_size = size;
}

static bool unpack(struct store_reader *r, const struct chunk_header *h, const uint8_t *payload,
		   const uint8_t **records)
{
	bool columns = h->flags & CHUNK_COLUMNS;
	uint8_t *to;

	if (!(h->flags & CHUNK_ZSTD)) {
		*records = payload;
		return h->raw == h->stored && !columns;
	}
	raw_reserve(r, h->raw);
	*records = r->raw;
	to = columns ? r->parts : r->raw;
	if (ZSTD_decompressDCtx(r->zstd, to, h->raw, payload, h->stored) != h->raw)
		return false;
	return !columns || columns_join(to, h->raw, h->part, r->raw);
}

/* A header is here, with its payload.  1: records to hand out, 0: nothing for the caller. */
static int take_chunk(struct store_reader *r, const struct chunk_header *h,
		      const uint8_t **records, size_t *length, struct chunk_summary *summary)
{
	const uint8_t *payload = r->data + r->start + STORE_CHUNK_BYTES;

	if (chunk_check(payload, h->stored) != h->check || !unpack(r, h, payload, records)) {
		r->wasted += h->stored;
		if (r->wasted > WASTE_ALLOWED + 8 * r->offset)
			return damage(r, STORE_CHUNK_BYTES + h->stored);
		return damage(r, 4);
	}
	r->scanning = false;
	r->complete = h->kind == CHUNK_TRAILER;
	*length = h->raw;
	*summary = (struct chunk_summary){ r->offset, h->session, h->first_stamp, h->last_stamp,
					   h->events };
	consume(r, STORE_CHUNK_BYTES + h->stored);
	return h->kind == CHUNK_RECORDS && h->raw;
}

/* One step: 1 records, 0 needs more bytes, -EBADMSG damage begins, -EAGAIN go on. */
static int step(struct store_reader *r, const uint8_t **records, size_t *length,
		struct chunk_summary *summary)
{
	struct chunk_header h;
	int got;

	if (r->scanning)
		scan(r);
	if (available(r) < 8)
		return 0;
	if (!r->scanning && !memcmp(r->data + r->start, STORE_SIGNATURE, 8)) {
		if (available(r) < STORE_HEAD_BYTES)
			return 0;
		r->err = open_stream(r);
		return r->err ? 0 : -EAGAIN;
	}
	if (memcmp(r->data + r->start, STORE_CHUNK_MAGIC, 4))
		return damage(r, 1) ? -EBADMSG : -EAGAIN;
	if (available(r) < STORE_CHUNK_BYTES)
		return 0;
	if (!chunk_header_read(r->data + r->start, &h))
		return damage(r, 4) ? -EBADMSG : -EAGAIN;
	if (available(r) < STORE_CHUNK_BYTES + h.stored)
		return 0;
	got = take_chunk(r, &h, records, length, summary);
	return got ? got : -EAGAIN;
}

int store_next(struct store_reader *r, const uint8_t **records, size_t *length,
	       struct chunk_summary *summary)
{
	int got;

	if (!r->opened || r->err)
		return 0;
	do
		got = step(r, records, length, summary);
	while (got == -EAGAIN);
	return got;
}

uint64_t store_leftover(const struct store_reader *r)
{
	return r->scanning ? 0 : available(r);
}

bool store_complete(const struct store_reader *r)
{
	return r->complete && !available(r);
}

uint64_t store_damaged(const struct store_reader *r, uint64_t *bytes)
{
	if (bytes)
		*bytes = r->skipped;
	return r->damaged;
}
