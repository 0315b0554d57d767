/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chunks whose columns stand together: they come back as they were, are smaller, and damage stays
 * within one. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/buffer.h"
#include "store/chunk.h"
#include "store/columns.h"
#include "store/reader.h"
#include "store/writer.h"
#include "tests/tap.h"
#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/functions.h"

#define EVENTS	4000u
#define CHUNKS	5u

static struct trace_event events[EVENTS];

/* Blocks of a few sizes that are freed soon, as programs do it; `round` makes rounds differ. */
static void make_events(unsigned round)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		bool is_free = i % 4 >= 2;

		events[i] = (struct trace_event){
			.stamp = round * 1000000 + i * 20 + i * 7919 % 13, .op = is_free ? OP_FREE : OP_MALLOC,
			.ptr = 0x5555000 + (is_free ? 3 - i % 4 : i % 4) * 0x40 + i / 400 * 0x1000,
			.size = is_free ? 0 : 24 + i % 3 * 16, .stack = is_free ? 0 : 8 + i * 7919 % 5,
		};
	}
}

static void put_round(struct trace_out *out, unsigned round)
{
	char text[32];

	snprintf(text, sizeof(text), "round %u", round);
	trace_put_note(out, &(struct trace_note){ trace_string(text) });
	make_events(round);
	for (unsigned i = 0; i < EVENTS; i += EVENTS / 4)
		trace_put_events(out, 1 + i % 3, &events[i], EVENTS / 4);
	trace_put_sync(out, &(struct trace_sync){ round });
}

static struct trace_out out_new(void)
{
	size_t capacity = 1 << 20;

	return (struct trace_out){ malloc(capacity), 0, capacity };
}

static void test_parts(void)
{
	struct trace_out out = out_new();
	size_t sizes[COLUMNS_PARTS], sum = 0;
	uint8_t *parts, *again;

	put_round(&out, 1);
	parts = malloc(out.length);
	again = malloc(out.length);
	ok(columns_split(out.data, out.length, parts, sizes), "records are taken apart");
	for (unsigned i = 0; i < COLUMNS_PARTS; i++)
		sum += sizes[i];
	is_int(sum, out.length, "into parts of as many bytes");
	is_int(sizes[1], EVENTS, "the ops of all records are one part");
	ok(columns_join(parts, out.length, sizes[0], again) && !memcmp(out.data, again, out.length),
	   "and put together again");
	ok(!columns_join(parts, out.length, sizes[0] - 1, again) && !columns_join(parts, out.length - 1, sizes[0], again) &&
	   !columns_join(parts, out.length, out.length + 1, again), "parts of other lengths are refused");
	ok(!columns_split(out.data, out.length - 1, parts, sizes), "half a record is refused");
	free(parts);
	free(again);
	free(out.data);
}

/* A file of CHUNKS rounds, in memory; raw: bytes of the third. */
static void make_file(struct buffer *file, size_t *raw)
{
	char name[] = "/tmp/memtrack-columns-XXXXXX";
	int fd = mkstemp(name);
	struct store_writer *w = store_writer_new(fd);
	struct trace_out out = out_new();
	ssize_t n;

	unlink(name);
	for (unsigned i = 0; i < CHUNKS; i++) {
		out.length = 0;
		put_round(&out, i);
		store_put(w, out.data, out.length, i * 1000000 + 1, (i + 1) * 1000000, EVENTS);
		store_flush(w);
		if (i == 2)
			*raw = out.length;
	}
	store_finish(w);
	buffer_init(file);
	buffer_reserve(file, (size_t)lseek(fd, 0, SEEK_END));
	n = pread(fd, file->data, (size_t)lseek(fd, 0, SEEK_END), 0);
	file->length = n > 0 ? (size_t)n : 0;
	store_writer_free(w);
	free(out.data);
	close(fd);
}

/* Rounds whose records are all as they were put. */
static unsigned read_file(const struct buffer *file, unsigned *damaged)
{
	struct store_reader *r = store_reader_new();
	struct trace_out out = out_new();
	struct chunk_summary summary;
	const uint8_t *records;
	unsigned good = 0;
	size_t length;
	int got;

	*damaged = 0;
	store_feed(r, file->data, file->length);
	while ((got = store_next(r, &records, &length, &summary)) != 0) {
		out.length = 0;
		put_round(&out, (unsigned)(summary.first_stamp / 1000000));
		*damaged += got < 0;
		good += got > 0 && length == out.length && !memcmp(records, out.data, length);
	}
	store_reader_free(r);
	free(out.data);
	return good;
}

/* Where chunk number i begins. */
static size_t chunk_at(const struct buffer *file, unsigned i)
{
	size_t at = STORE_HEAD_BYTES;

	while (i--)
		at += STORE_CHUNK_BYTES + get_le32((const uint8_t *)file->data + at + 16);
	return at;
}

static void test_file(void)
{
	struct buffer file;
	struct chunk_header h;
	unsigned damaged;
	uint8_t *third;
	size_t raw = 0;

	make_file(&file, &raw);
	third = (uint8_t *)file.data + chunk_at(&file, 2);
	ok(chunk_header_read(third, &h) && h.flags == (CHUNK_ZSTD | CHUNK_COLUMNS), "large chunks have their columns together");
	is_int(h.raw, raw, "and say how long their records are");
	is_int(read_file(&file, &damaged), CHUNKS, "all come back");
	is_int(damaged, 0, "undamaged");
	h.part++;
	chunk_header_write(third, &h);
	is_int(read_file(&file, &damaged), CHUNKS - 1, "parts that do not fit cost their chunk only");
	is_int(damaged, 1, "and are told as damage");
	h.part--;
	h.flags = CHUNK_COLUMNS;
	chunk_header_write(third, &h);
	is_int(read_file(&file, &damaged), CHUNKS - 1, "so do flags that make no sense");
	buffer_release(&file);
}

static void test_version(void)
{
	struct store_reader *r = store_reader_new();
	uint8_t head[STORE_HEAD_BYTES];

	chunk_head_write(head, 0);
	put_le32(head + 8, TRACE_FORMAT_VERSION - 1);
	is_int(store_feed(r, head, sizeof(head)), -ENOTSUP, "a file of the format before is told by its version");
	store_reader_free(r);
}

int main(void)
{
	test_parts();
	test_file();
	test_version();
	return done_testing();
}
