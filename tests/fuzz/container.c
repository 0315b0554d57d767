/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A .mtk file, read by the container, its index and the model.
 *
 * A fuzzer does not find checksums, so the first byte says which are put right:
 *	0	none: the bytes are a file
 *	1	all: the bytes are a file whose chunk headers and payloads get their checksums
 *	2	the bytes are records, stored in chunks of a whole file; bit 2: half of them in a session
 *		of their own
 *	3	the same, compressed */
#include "base/buffer.h"
#include "store/chunk.h"
#include "store/index.h"
#include "store/writer.h"
#include "tests/fuzz/queries.h"
#include "tests/fuzz/target.h"
#include "trace/decode.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EVENTS, DAMAGED, WHOLE, INDEXED, NAMED, EXECS, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[EVENTS] = { "events", 0 }, [DAMAGED] = { "damage", 0 }, [WHOLE] = { "the end of a whole trace", 0 },
	[INDEXED] = { "an index", 0 }, [NAMED] = { "call sites", 0 }, [EXECS] = { "an exec", 0 },
};

static int memory;	/* a file in memory, for what reads descriptors */

static void start(void)
{
	memory = memfd_create("fuzz", MFD_CLOEXEC);
	fuzz_rule(memory >= 0);
}

static void put_head(struct buffer *out)
{
	uint8_t head[STORE_HEAD_BYTES];

	chunk_head_write(head, 0);
	buffer_append(out, head, sizeof(head));
}

static void put_chunk(struct buffer *out, enum chunk_kind kind, const uint8_t *payload, size_t size, uint64_t first,
		      uint32_t session)
{
	struct chunk_header h = { .kind = (uint8_t)kind, .session = session, .raw = (uint32_t)size, .stored = (uint32_t)size,
				  .first_stamp = first, .check = chunk_check(payload, size) };
	uint8_t bytes[STORE_CHUNK_BYTES];

	chunk_header_write(bytes, &h);
	buffer_append(out, bytes, sizeof(bytes));
	if (size)
		buffer_append(out, payload, size);
}

/* Where a record begins, about in the middle. */
static size_t middle(const uint8_t *data, size_t size)
{
	struct trace_in in = { data, size, 0 };
	struct trace_record record;

	while (in.at < size / 2 && trace_next(&in, &record) == 1)
		;
	return in.at;
}

/* A trailer points at what is the index, or is none. */
static void wrap_stored(struct buffer *out, const uint8_t *data, size_t size, uint32_t session)
{
	size_t half = middle(data, size);
	uint64_t index = STORE_HEAD_BYTES + 2 * STORE_CHUNK_BYTES + size;

	put_head(out);
	put_chunk(out, CHUNK_RECORDS, data, half, 0, 0);
	put_chunk(out, CHUNK_RECORDS, data + half, size - half, 0, session);
	put_chunk(out, CHUNK_INDEX, data, size < 64 ? size : 64, 0, 0);
	put_chunk(out, CHUNK_TRAILER, data, 0, index, 0);
}

static void wrap_written(struct buffer *out, const uint8_t *data, size_t size)
{
	size_t half = middle(data, size);
	struct store_writer *w;
	off_t length;

	fuzz_rule(ftruncate(memory, 0) == 0 && lseek(memory, 0, SEEK_SET) == 0);
	w = store_writer_new(memory);
	store_put(w, data, half, 1, 2, 3);
	store_flush(w);
	store_put(w, data + half, size - half, 2, 4, 5);
	fuzz_rule(store_finish(w) == 0);
	store_writer_free(w);
	length = lseek(memory, 0, SEEK_CUR);
	buffer_reserve(out, (size_t)length);
	fuzz_rule(pread(memory, out->data, (size_t)length, 0) == length);
	out->length = (size_t)length;
}

static void mend_chunk(uint8_t *at, size_t left)
{
	struct chunk_header h = { .kind = at[4], .flags = at[5], .session = get_le32(at + 8), .raw = get_le32(at + 12),
				  .stored = get_le32(at + 16), .first_stamp = get_le64(at + 24),
				  .last_stamp = get_le64(at + 32), .events = get_le64(at + 40), .part = get_le32(at + 20) };

	if (h.stored <= left - STORE_CHUNK_BYTES)
		h.check = chunk_check(at + STORE_CHUNK_BYTES, h.stored);
	chunk_header_write(at, &h);
}

/* From the back, so that a chunk in another one's payload is right before that is summed up. */
static void mend(struct buffer *out, const uint8_t *data, size_t size)
{
	put_head(out);
	if (size > STORE_HEAD_BYTES)
		buffer_append(out, data + STORE_HEAD_BYTES, size - STORE_HEAD_BYTES);
	for (size_t at = out->length; at-- > STORE_HEAD_BYTES;)
		if (out->length - at >= STORE_CHUNK_BYTES && !memcmp(out->data + at, STORE_CHUNK_MAGIC, 4))
			mend_chunk((uint8_t *)out->data + at, out->length - at);
}

static void read_index(const struct buffer *file)
{
	struct store_index index;

	fuzz_rule(ftruncate(memory, 0) == 0 &&
		  pwrite(memory, file->data, file->length, 0) == (ssize_t)file->length);
	if (store_index_read(memory, &index) == 0) {
		marks[INDEXED].count += index.count > 0;
		store_index_release(&index);
	}
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size, 0 };
	unsigned mode = (unsigned)fuzz_take(&in, 1);
	size_t piece = (size_t)fuzz_take(&in, 2), left = size - in.at;
	struct buffer file = BUFFER_INIT;
	struct heap_status status;

	data += in.at;
	if (mode % 4 == 0)
		buffer_append(&file, data, left);
	else if (mode % 4 == 1)
		mend(&file, data, left);
	else if (mode % 4 == 2)
		wrap_stored(&file, data, left, mode / 4 % 2);
	else
		wrap_written(&file, data, left);
	if (file.length) {
		read_index(&file);
		fuzz_model((const uint8_t *)file.data, file.length, piece, &status);
		marks[EVENTS].count += status.format == HEAP_FORMAT_MTK && status.events > 0;
		marks[DAMAGED].count += status.damaged && status.events > 0;
		marks[WHOLE].count += status.leaks_final && !status.damaged;
		marks[NAMED].count += status.sites > 1;
		marks[EXECS].count += status.execs > 0;
	}
	buffer_release(&file);
}

const struct fuzz_target fuzz_container = { "container", marks, start, run };
