/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The index at the end of a finished .mtk file. */
#include "store/index.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/vector.h"
#include "store/chunk.h"
#include "trace/varint.h"

static int read_at(int fd, uint8_t *to, size_t length, uint64_t offset)
{
	while (length) {
		ssize_t n = pread(fd, to, length, (off_t)offset);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -ENODATA;
		if (n > 0) {
			to += n;
			offset += (uint64_t)n;
			length -= (size_t)n;
		}
	}
	return 0;
}

static int read_header(int fd, uint64_t offset, enum chunk_kind kind, struct chunk_header *h)
{
	uint8_t bytes[STORE_CHUNK_BYTES];
	int err = read_at(fd, bytes, sizeof(bytes), offset);

	if (err)
		return err;
	return chunk_header_read(bytes, h) && h->kind == kind ? 0 : -ENODATA;
}

/* The payload in *raw (h->raw bytes, the caller frees it). */
static int read_payload(int fd, uint64_t offset, const struct chunk_header *h, uint8_t **raw)
{
	uint8_t *stored = xmalloc(h->stored);
	int err = read_at(fd, stored, h->stored, offset + STORE_CHUNK_BYTES);

	*raw = NULL;
	if (!err && chunk_check(stored, h->stored) != h->check)
		err = -ENODATA;
	if (!err && !(h->flags & CHUNK_ZSTD) && h->raw == h->stored) {
		*raw = stored;
		return 0;
	}
	if (!err) {
		*raw = xmalloc(h->raw);
		if (ZSTD_decompress(*raw, h->raw, stored, h->stored) != h->raw)
			err = -ENODATA;
	}
	free(stored);
	if (err) {
		free(*raw);
		*raw = NULL;
	}
	return err;
}

static int parse(struct store_index *index, const uint8_t *at, const uint8_t *end, uint32_t session)
{
	uint64_t offset = 0;

	while (at < end) {
		struct chunk_summary s = { .session = session };
		uint64_t step = 0, span = 0;

		at = varint_read(at, end, &step);
		at = at ? varint_read(at, end, &s.first_stamp) : NULL;
		at = at ? varint_read(at, end, &span) : NULL;
		at = at ? varint_read(at, end, &s.events) : NULL;
		if (!at)
			return -ENODATA;
		offset += step;
		s.offset = offset;
		s.last_stamp = s.first_stamp + span;
		vector_push(index, s);
	}
	return 0;
}

int store_index_read(int fd, struct store_index *index)
{
	struct chunk_header trailer, h;
	struct stat st;
	uint8_t *raw;
	int err;

	*index = (struct store_index){ 0 };
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < STORE_CHUNK_BYTES)
		return -ENODATA;
	err = read_header(fd, (uint64_t)st.st_size - STORE_CHUNK_BYTES, CHUNK_TRAILER, &trailer);
	if (!err && trailer.first_stamp > (uint64_t)st.st_size)
		err = -ENODATA;
	if (!err)
		err = read_header(fd, trailer.first_stamp, CHUNK_INDEX, &h);
	if (!err)
		err = read_payload(fd, trailer.first_stamp, &h, &raw);
	if (err)
		return err;
	index->events = trailer.events;
	err = parse(index, raw, raw + h.raw, h.session);
	free(raw);
	if (!err && !index->count && index->events)
		err = -ENODATA;
	if (err)
		store_index_release(index);
	return err;
}

void store_index_release(struct store_index *index)
{
	vector_release(index);
	index->events = 0;
}
