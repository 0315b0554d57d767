/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writing end of the .mtk container. */
#include "store/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "store/chunk.h"
#include "store/columns.h"
#include "trace/decode.h"
#include "trace/varint.h"

#define STORE_LEVEL	1	/* zstd level: the drain must keep up with the target */
#define COLUMNS_LEAST	4096u	/* smaller chunks are one frame: each costs a dozen bytes */

/* Offsets count from `base`, where the descriptor stood at first. */
struct store_stream {
	int fd, err;
	bool head_written;
	off_t base;		/* -1: not seekable */
	uint64_t written;
	struct buffer index;
	uint64_t last_offset, total_events;
};

/* raw holds the records of the open chunk; out is [head] header payload of the one being closed. */
struct store_writer {
	struct store_stream *stream;
	bool own;		/* the stream has no other writer */
	uint32_t session;
	int err;
	struct buffer raw, parts, out;
	uint64_t first_stamp, last_stamp, events;
	ZSTD_CCtx *zstd;
	void (*breathe)(void *owner);
	void *owner;
};

struct store_stream *store_stream_new(int fd)
{
	struct store_stream *s = xcalloc(1, sizeof(*s));

	s->fd = fd;
	s->base = lseek(fd, 0, SEEK_CUR);
	return s;
}

void store_stream_free(struct store_stream *s)
{
	if (!s)
		return;
	buffer_release(&s->index);
	free(s);
}

struct store_writer *store_writer_join(struct store_stream *stream, uint32_t session)
{
	struct store_writer *w = xcalloc(1, sizeof(*w));

	w->stream = stream;
	w->session = session;
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		abort();
	return w;
}

struct store_writer *store_writer_new(int fd)
{
	struct store_writer *w = store_writer_join(store_stream_new(fd), 0);

	w->own = true;
	return w;
}

void store_writer_session(struct store_writer *w, uint32_t session)
{
	w->session = session;
}

void store_writer_breathe(struct store_writer *w, void (*breathe)(void *owner), void *owner)
{
	w->breathe = breathe;
	w->owner = owner;
}

void store_writer_free(struct store_writer *w)
{
	if (!w)
		return;
	if (w->own)
		store_stream_free(w->stream);
	ZSTD_freeCCtx(w->zstd);
	buffer_release(&w->raw);
	buffer_release(&w->parts);
	buffer_release(&w->out);
	free(w);
}

uint64_t store_written(const struct store_writer *w)
{
	return w->stream->written;
}

/* A descriptor that somebody made non-blocking still gets everything. */
static int wait_writable(int fd)
{
	struct pollfd p = { fd, POLLOUT, 0 };

	return poll(&p, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t n = write(fd, data, length);

		if (n > 0) {
			data += n;
			length -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			int err = wait_writable(fd);

			if (err)
				return err;
		} else if (n == 0 || errno != EINTR) {
			return n ? -errno : -ENOSPC;
		}
	}
	return 0;
}

/* Writes w->out as a whole; when that fails the file is cut back to what was whole. */
static int commit(struct store_writer *w)
{
	struct store_stream *s = w->stream;

	if (s->err)
		goto out;
	s->err = write_all(s->fd, w->out.data, w->out.length);
	if (!s->err) {
		s->written += w->out.length;
	} else if (s->base >= 0) {
		off_t good = s->base + (off_t)s->written;

		/* Both may fail on a file that cannot be cut; readers survive the rest as well. */
		if (ftruncate(s->fd, good) == 0)
			(void)!lseek(s->fd, good, SEEK_SET);
	}
out:
	w->err = s->err;
	return w->err;
}

/* Appends a zstd frame of the bytes to w->out.  False: it would not be smaller than `most`. */
static bool pack_frame(struct store_writer *w, const char *bytes, size_t length, size_t most)
{
	size_t bound = ZSTD_compressBound(length), packed;

	if (w->breathe)
		w->breathe(w->owner);
	buffer_reserve(&w->out, bound);
	packed = ZSTD_compressCCtx(w->zstd, w->out.data + w->out.length, bound, bytes, length, STORE_LEVEL);
	if (ZSTD_isError(packed) || packed >= most)
		return false;
	w->out.length += packed;
	return true;
}

/* A frame for each part.  False: that is not smaller, or the bytes are no records. */
static bool pack_columns(struct store_writer *w, struct chunk_header *h, const char *raw, size_t length)
{
	size_t sizes[COLUMNS_PARTS], start = w->out.length;
	const char *from;

	buffer_clear(&w->parts);
	buffer_reserve(&w->parts, length);
	if (!columns_split((const uint8_t *)raw, length, (uint8_t *)w->parts.data, sizes))
		return false;
	from = w->parts.data;
	for (unsigned i = 0; i < COLUMNS_PARTS; from += sizes[i++]) {
		if (!sizes[i] || pack_frame(w, from, sizes[i], length - (w->out.length - start)))
			continue;
		w->out.length = start;
		return false;
	}
	h->flags = CHUNK_ZSTD | CHUNK_COLUMNS;
	h->part = (uint32_t)sizes[0];
	return true;
}

/* Puts the payload behind the header's place in w->out, compressed if that makes it smaller. */
static void pack(struct store_writer *w, struct chunk_header *h, const char *raw, size_t length)
{
	size_t start = w->out.length;

	if (h->kind == CHUNK_RECORDS && length >= COLUMNS_LEAST && pack_columns(w, h, raw, length))
		goto out;
	if (length && pack_frame(w, raw, length, length))
		h->flags = CHUNK_ZSTD;
	else
		buffer_append(&w->out, raw, length);
out:
	h->stored = (uint32_t)(w->out.length - start);
	h->raw = (uint32_t)length;
}

/* Makes w->out one whole chunk, with the file's head in front of the first. */
static uint64_t build(struct store_writer *w, struct chunk_header *h, const char *raw, size_t length)
{
	uint64_t offset = w->stream->written;
	size_t at;

	buffer_clear(&w->out);
	if (!w->stream->head_written) {
		buffer_append_repeat(&w->out, 0, STORE_HEAD_BYTES);
		chunk_head_write((uint8_t *)w->out.data, w->session);
		offset += STORE_HEAD_BYTES;
		w->stream->head_written = true;
	}
	at = w->out.length;
	buffer_append_repeat(&w->out, 0, STORE_CHUNK_BYTES);
	pack(w, h, raw, length);
	h->session = w->session;
	h->check = chunk_check((uint8_t *)w->out.data + at + STORE_CHUNK_BYTES, h->stored);
	chunk_header_write((uint8_t *)w->out.data + at, h);
	return offset;
}

static void index_add(struct store_writer *w, uint64_t offset)
{
	uint8_t entry[4 * VARINT_MAX], *at = entry;

	at = varint_write(at, offset - w->stream->last_offset);
	at = varint_write(at, w->first_stamp);
	at = varint_write(at, w->last_stamp - w->first_stamp);
	at = varint_write(at, w->events);
	buffer_append(&w->stream->index, entry, (size_t)(at - entry));
	w->stream->last_offset = offset;
}

int store_flush(struct store_writer *w)
{
	struct chunk_header h = {
		.kind = CHUNK_RECORDS,
		.first_stamp = w->first_stamp, .last_stamp = w->last_stamp, .events = w->events,
	};
	uint64_t offset;

	if (w->err || !w->raw.length)
		return w->err;
	offset = build(w, &h, w->raw.data, w->raw.length);
	if (commit(w))
		return w->err;
	index_add(w, offset);
	w->stream->total_events += w->events;
	w->first_stamp = w->last_stamp = w->events = 0;
	buffer_clear(&w->raw);
	return 0;
}

static void cover(struct store_writer *w, uint64_t first, uint64_t last)
{
	if (first && (!w->first_stamp || first < w->first_stamp))
		w->first_stamp = first;
	if (last > w->last_stamp)
		w->last_stamp = last;
	if (w->last_stamp < w->first_stamp)
		w->last_stamp = w->first_stamp;
}

static int put_piece(struct store_writer *w, const uint8_t *records, size_t length,
		     uint64_t first_stamp, uint64_t last_stamp, uint64_t events)
{
	if (w->raw.length + length > STORE_RAW_MAX && store_flush(w))
		return w->err;
	buffer_append(&w->raw, records, length);
	cover(w, first_stamp, last_stamp);
	w->events += events;
	return w->raw.length >= STORE_RAW_GOAL ? store_flush(w) : 0;
}

int store_put(struct store_writer *w, const uint8_t *records, size_t length,
	      uint64_t first_stamp, uint64_t last_stamp, uint64_t events)
{
	struct trace_in in = { records, length, 0 };
	struct trace_record record;
	size_t from = 0;

	if (w->err)
		return w->err;
	if (length <= STORE_RAW_MAX)
		return put_piece(w, records, length, first_stamp, last_stamp, events);
	/* More than a chunk may hold: cut it between records. */
	while (from < length) {
		size_t to = from;

		while (trace_next(&in, &record) == 1 && in.at - from <= STORE_RAW_GOAL)
			to = in.at;
		if (to == from)
			to = in.at;
		if (to == from || to - from > STORE_RAW_MAX)
			return w->err = -EMSGSIZE;
		if (put_piece(w, records + from, to - from, first_stamp, last_stamp, events))
			return w->err;
		events = 0;
		from = in.at = to;
	}
	return 0;
}

/* The index and the trailer. */
static int close_stream(struct store_writer *w)
{
	struct chunk_header index = { .kind = CHUNK_INDEX }, trailer = { .kind = CHUNK_TRAILER };
	struct store_stream *s = w->stream;
	size_t fits;

	/* An index for 70 GB and more is left out: readers do without. */
	fits = s->index.length <= STORE_RAW_MAX ? s->index.length : 0;
	index.events = trailer.events = s->total_events;
	trailer.first_stamp = build(w, &index, buffer_text(&s->index), fits);
	if (commit(w))
		return w->err;
	build(w, &trailer, "", 0);
	return commit(w);
}

int store_finish(struct store_writer *w)
{
	if (store_flush(w) || !w->own)
		return w->err;
	return close_stream(w);
}

int store_stream_finish(struct store_stream *s)
{
	struct store_writer *w = store_writer_join(s, 0);
	int rc = close_stream(w);

	store_writer_free(w);
	return rc;
}
