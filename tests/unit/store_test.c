/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .mtk container: what was written comes back, whatever happened to the rest. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "store/chunk.h"
#include "store/index.h"
#include "store/reader.h"
#include "store/writer.h"
#include "tests/tap.h"
#include "trace/decode.h"
#include "trace/encode.h"

static uint64_t random_next(void)
{
	static uint64_t state = 1;

	return hash_mix64(state++);
}

static int temporary(void)
{
	char name[] = "/tmp/memtrack-store-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

/* Puts notes "first", "first + 1" ...; noise makes them incompressible. */
static int put_notes(struct store_writer *w, uint64_t first, unsigned count, size_t noise)
{
	uint8_t bytes[8192];
	char text[4096];
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		struct trace_out o = { bytes, 0, sizeof(bytes) };
		int length = snprintf(text, sizeof(text), "%llu ", (unsigned long long)first + i);

		for (size_t k = 0; k < noise; k++)
			text[length++] = (char)random_next();
		trace_put_note(&o, &(struct trace_note){ { text, (size_t)length } });
		err = store_put(w, bytes, o.length, first + i + 1, first + i + 1, 1);
	}
	return err;
}

struct result {
	unsigned chunks, notes, errors;
	bool in_order;		/* each note came once, and later ones later */
	bool complete;
	uint64_t leftover;
};

static void take(struct store_reader *r, struct result *result, uint64_t *last)
{
	struct chunk_summary summary;
	struct trace_record record;
	const uint8_t *records;
	struct trace_note note;
	size_t length;
	int got;

	while ((got = store_next(r, &records, &length, &summary)) != 0) {
		struct trace_in in = { records, length, 0 };

		if (got < 0) {
			result->errors++;
			continue;
		}
		result->chunks++;
		while (trace_next(&in, &record) == 1) {
			uint64_t n;

			if (trace_get_note(&record, &note))
				continue;
			n = strtoull(note.text.data, NULL, 10);
			result->in_order &= n > *last;
			result->in_order &= n < summary.last_stamp && n + 1 >= summary.first_stamp;
			*last = n;
			result->notes++;
		}
	}
}

static struct result read_all(const uint8_t *bytes, size_t length, size_t step)
{
	struct result result = { .in_order = true };
	struct store_reader *r = store_reader_new();
	uint64_t last = 0;

	for (size_t at = 0; at < length; at += step) {
		size_t n = length - at < step ? length - at : step;
		uint8_t *exact = malloc(n);

		memcpy(exact, bytes + at, n);
		if (store_feed(r, exact, n))
			result.errors++;
		free(exact);
		take(r, &result, &last);
	}
	result.complete = store_complete(r);
	result.leftover = store_leftover(r);
	store_reader_free(r);
	return result;
}

/* A file of `chunks` chunks with 10 notes each. */
static void make(struct buffer *file, unsigned chunks, size_t noise, uint64_t *ends)
{
	int fd = temporary();
	struct store_writer *w = store_writer_new(fd);
	uint64_t length;

	store_writer_session(w, 7);
	for (unsigned i = 0; i < chunks; i++) {
		put_notes(w, 1 + i * 10, 10, noise);
		store_flush(w);
		if (ends)
			ends[i] = store_written(w);
	}
	store_finish(w);
	length = store_written(w);
	store_writer_free(w);
	buffer_clear(file);
	buffer_reserve(file, length);
	is_int(pread(fd, file->data, length + 1, 0), length, "the file is as long as the writer says");
	file->length = length;
	close(fd);
}

static void test_round_trip(void)
{
	struct store_index index;
	struct result result;
	struct buffer file = BUFFER_INIT;
	int fd = temporary(), good = 1;
	struct store_writer *w = store_writer_new(fd);

	is_int(put_notes(w, 1, 100000, 10), 0, "100000 notes are put");
	is_int(store_finish(w), 0, "and finished");
	buffer_reserve(&file, store_written(w));
	file.length = (size_t)pread(fd, file.data, store_written(w), 0);
	result = read_all((uint8_t *)file.data, file.length, 4096);
	ok(result.notes == 100000 && result.in_order && !result.errors && result.complete,
	   "all come back in order");
	ok(result.chunks > 3 && result.chunks < 20, "in %u chunks", result.chunks);
	is_int(store_index_read(fd, &index), 0, "the index is there");
	ok(index.count == result.chunks && index.events == 100000, "with all chunks and events");
	for (size_t i = 0; i < index.count; i++)
		good &= !memcmp(file.data + index.items[i].offset, STORE_CHUNK_MAGIC, 4) &&
			index.items[i].last_stamp >= index.items[i].first_stamp;
	ok(good, "whose offsets are right");
	store_index_release(&index);
	ok(ftruncate(fd, (off_t)file.length - 1) == 0 && store_index_read(fd, &index) == -ENODATA,
	   "a cut file has no index");
	store_writer_free(w);
	buffer_release(&file);
	close(fd);
}

static void test_truncation(void)
{
	struct buffer file = BUFFER_INIT;
	uint64_t ends[8];
	int good = 1;

	make(&file, 8, 20, ends);
	for (size_t cut = 0; cut < file.length; cut++) {
		struct result result = read_all((uint8_t *)file.data, cut, file.length);
		unsigned want = 0;

		while (want < 8 && ends[want] <= cut)
			want++;
		good &= result.chunks == want && result.notes == want * 10 && !result.errors &&
			!result.complete && result.in_order;
		good &= want == 0 || want == 8 || result.leftover == cut - ends[want - 1];
	}
	ok(good, "cut anywhere, all whole chunks are read and nothing is an error");
	buffer_release(&file);
}

static void test_flips(void)
{
	struct buffer file = BUFFER_INIT;
	int good = 1;

	make(&file, 8, 20, NULL);
	for (size_t at = STORE_HEAD_BYTES; at < file.length; at++) {
		for (unsigned bit = 0; bit < 8; bit += 3) {
			struct result result;

			file.data[at] ^= (char)(1u << bit);
			result = read_all((uint8_t *)file.data, file.length, file.length);
			file.data[at] ^= (char)(1u << bit);
			good &= result.notes >= 70 && result.in_order && result.errors == 1;
		}
	}
	ok(good, "a flipped bit anywhere costs one chunk and is noticed once");
	file.data[0] ^= 1;
	is_int(read_all((uint8_t *)file.data, file.length, file.length).notes, 0, "no trace at all");
	file.data[0] ^= 1;
	file.data[8] ^= 2;
	ok(read_all((uint8_t *)file.data, file.length, file.length).errors, "a later version is refused");
	buffer_release(&file);
}

static void test_noise(void)
{
	struct buffer file = BUFFER_INIT;
	unsigned notes = 0;

	make(&file, 8, 20, NULL);
	for (int i = 0; i < 3000; i++) {
		uint8_t *copy = malloc(file.length);

		memcpy(copy, file.data, file.length);
		for (unsigned n = 1 + (unsigned)random_next() % 4; n; n--) {
			size_t at = STORE_HEAD_BYTES + random_next() % (file.length - STORE_HEAD_BYTES);
			size_t from = random_next() % file.length, length = random_next() % 300;

			/* Pieces of the file over other pieces: headers where none belong. */
			if (at + length <= file.length && from + length <= file.length)
				memmove(copy + at, copy + from, length);
		}
		notes += read_all(copy, file.length, 1 + random_next() % 5000).notes;
		free(copy);
	}
	ok(notes > 3000, "3000 files with misplaced pieces are survived");
	buffer_release(&file);
}

static void test_growing(void)
{
	struct buffer file = BUFFER_INIT, twice = BUFFER_INIT;
	struct result result;

	make(&file, 8, 20, NULL);
	result = read_all((uint8_t *)file.data, file.length, 1);
	ok(result.notes == 80 && result.chunks == 8 && !result.errors && result.complete,
	   "byte by byte");
	result = read_all((uint8_t *)"", 0, 1);
	ok(!result.errors && !result.complete, "an empty file is not yet a trace");
	buffer_append(&twice, file.data, file.length);
	make(&file, 1, 0, NULL);
	buffer_append(&twice, file.data, file.length);
	result = read_all((uint8_t *)twice.data, twice.length, 100);
	ok(result.chunks == 9 && !result.errors && result.complete, "one trace behind another");
	buffer_release(&file);
	buffer_release(&twice);
}

/* Valid headers with lengths that lie. */
static void test_forged(void)
{
	static const struct {
		uint32_t raw, stored;
		uint8_t flags;
	} cases[] = {
		{ UINT32_MAX, UINT32_MAX, 0 }, { STORE_RAW_MAX, STORE_RAW_MAX, 0 },
		{ STORE_RAW_MAX, 10, CHUNK_ZSTD }, { 10, 20, CHUNK_ZSTD }, { 20, 10, 0 },
		{ STORE_RAW_MAX + 1, 1, CHUNK_ZSTD }, { 0, 0, CHUNK_ZSTD },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[STORE_HEAD_BYTES + STORE_CHUNK_BYTES + 64] = { 0 };
		struct chunk_header h = { .kind = CHUNK_RECORDS, .flags = cases[i].flags,
					  .raw = cases[i].raw, .stored = cases[i].stored };
		struct result result;

		h.check = chunk_check(bytes + STORE_HEAD_BYTES + STORE_CHUNK_BYTES,
				      h.stored <= 64 ? h.stored : 0);
		chunk_head_write(bytes, 0);
		chunk_header_write(bytes + STORE_HEAD_BYTES, &h);
		result = read_all(bytes, sizeof(bytes), sizeof(bytes));
		ok(result.chunks == 0 && result.notes == 0, "forged lengths %zu", i);
	}
}

static void test_large(void)
{
	static uint8_t bytes[6 << 20];
	struct trace_out o = { bytes, 0, sizeof(bytes) };
	struct buffer file = BUFFER_INIT;
	static char text[60000];
	int fd = temporary();
	struct store_writer *w = store_writer_new(fd);
	struct result result;

	for (int i = 0; i < 90; i++) {
		snprintf(text, sizeof(text), "%d ", i + 1);
		trace_put_note(&o, &(struct trace_note){ { text, sizeof(text) } });
	}
	is_int(store_put(w, bytes, o.length, 1, 1000, 90), 0, "more than a chunk may hold at once");
	store_finish(w);
	buffer_reserve(&file, store_written(w));
	file.length = (size_t)pread(fd, file.data, store_written(w), 0);
	result = read_all((uint8_t *)file.data, file.length, 65536);
	ok(result.notes == 90 && result.in_order && result.chunks > 1, "is cut between records");
	store_writer_free(w);
	w = store_writer_new(fd);
	memset(bytes, 0, sizeof(bytes));
	is_int(store_put(w, bytes, sizeof(bytes), 0, 0, 0), 0, "tiny records");
	store_writer_free(w);
	w = store_writer_new(fd);
	memset(bytes, 0xff, sizeof(bytes));
	is_int(store_put(w, bytes, sizeof(bytes), 0, 0, 0), -EMSGSIZE, "what is no record is refused");
	is_int(store_flush(w), -EMSGSIZE, "for good");
	store_writer_free(w);
	buffer_release(&file);
	close(fd);
}

static void test_full_disk(void)
{
	struct rlimit old, limit;
	struct buffer file = BUFFER_INIT;
	int fd = open("/dev/full", O_WRONLY), err;
	struct store_writer *w = store_writer_new(fd);
	struct result result;

	put_notes(w, 1, 10, 0);
	is_int(store_flush(w), -ENOSPC, "a full disk is reported");
	is_int(put_notes(w, 1, 1, 0), -ENOSPC, "again and again");
	is_int(store_finish(w), -ENOSPC, "to the end");
	store_writer_free(w);
	close(fd);
	/* A file size limit stops a write in its middle, as a full disk does. */
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){ 3000000, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	fd = temporary();
	w = store_writer_new(fd);
	for (err = 0; !err; )
		err = put_notes(w, 1, 1000, 200);
	setrlimit(RLIMIT_FSIZE, &old);
	is_int(err, -EFBIG, "a write that ends half way");
	is_int(lseek(fd, 0, SEEK_END), store_written(w), "is cut back to the last whole chunk");
	buffer_reserve(&file, store_written(w));
	file.length = (size_t)pread(fd, file.data, store_written(w), 0);
	result = read_all((uint8_t *)file.data, file.length, 65536);
	ok(result.chunks > 1 && !result.errors && !result.leftover, "and reads well");
	store_writer_free(w);
	buffer_release(&file);
	close(fd);
}

static void test_pipe(void)
{
	struct store_writer *w;
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends)) {
		skip(1, "no pipe");
		return;
	}
	w = store_writer_new(ends[1]);
	close(ends[0]);
	put_notes(w, 1, 10, 0);
	is_int(store_flush(w), -EPIPE, "a reader that went away is reported");
	store_writer_free(w);
	close(ends[1]);
}

int main(void)
{
	test_round_trip();
	test_truncation();
	test_flips();
	test_noise();
	test_growing();
	test_forged();
	test_large();
	test_full_disk();
	test_pipe();
	return done_testing();
}
