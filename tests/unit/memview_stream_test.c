/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of memview that look at bytes as they come: beginnings of streams, a program's output. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hold.h"
#include "memview/input.h"
#include "memview/prefix.h"
#include "memview/target_output.h"
#include "tests/tap.h"

#define STREAM_BYTES (5 * PREFIX_BLOCK + 123)

static void fill(char *bytes, size_t size, unsigned seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245u + 12345u;
		bytes[i] = (char)(seed >> 16);
	}
}

static void add_in_pieces(struct prefix *prefix, const char *bytes, size_t size, size_t piece)
{
	for (size_t at = 0; at < size; at += piece)
		prefix_add(prefix, bytes + at, size - at < piece ? size - at : piece);
}

static void test_prefix(void)
{
	static char bytes[STREAM_BYTES], other[STREAM_BYTES];
	struct prefix *all = calloc(1, sizeof(*all)), *part = calloc(1, sizeof(*part));
	size_t bad = 0, missed = 0;

	fill(bytes, sizeof(bytes), 1);
	add_in_pieces(all, bytes, sizeof(bytes), sizeof(bytes));
	for (size_t piece = 1; piece < 3 * PREFIX_BLOCK; piece += 977) {
		memset(part, 0, sizeof(*part));
		add_in_pieces(part, bytes, sizeof(bytes), piece);
		bad += !prefix_agrees(all, part);
	}
	ok(bad == 0, "it does not matter in which pieces the bytes come");
	for (size_t size = 0; size < sizeof(bytes); size += 100) {
		memset(part, 0, sizeof(*part));
		prefix_add(part, bytes, size);
		bad += !prefix_agrees(all, part) || !prefix_agrees(part, all);
	}
	ok(bad == 0, "every beginning agrees");
	for (size_t at = 0; at < sizeof(bytes); at += 61) {
		memcpy(other, bytes, sizeof(bytes));
		other[at] ^= 1;
		memset(part, 0, sizeof(*part));
		prefix_add(part, other, sizeof(other));
		missed += prefix_agrees(all, part);
	}
	ok(missed == 0, "of the same length no differing bit is missed");
	other[sizeof(other) - 1] = bytes[sizeof(bytes) - 1];
	other[0] = (char)(bytes[0] ^ 1);
	memset(part, 0, sizeof(*part));
	prefix_add(part, other, PREFIX_BLOCK);
	ok(!prefix_agrees(all, part), "another stream is told by its first block");
	free(all);
	free(part);
}

static void test_lines(void)
{
	static const struct {
		const char *line, *plain;
	} cases[] = {
		{ "plain\n", "plain" }, { "dos\r\n", "dos" }, { "\033[1;31mred\033[0m text", "red text" },
		{ "\033]0;title\007x", "x" }, { "\033]0;title\033\\x", "x" }, { "\033(Bx", "x" }, { "\0337x", "x" },
		{ "10 %\r20 %\r", "20 %" }, { "a\tb", "a       b" }, { "12345678\tb", "12345678        b" },
		{ "_\bx", "x" }, { "\303\244\bx", "x" }, { "\b\bx", "x" }, { "bell\007", "bell" }, { "\033", "" },
		{ "a\033[", "a" }, { "a\033[12;", "a" }, { "a\033]0;no end", "a" }, { "a\033P1", "a" }, { "", "" },
		{ "\001\002", "\001\002" },
	};
	struct buffer out = BUFFER_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		out.length = 0;
		target_output_plain(&out, cases[i].line, strlen(cases[i].line));
		ok(out.length == strlen(cases[i].plain) && memcmp(buffer_text(&out), cases[i].plain, out.length) == 0,
		   "line %zu becomes what a terminal would leave of it", i);
	}
	buffer_release(&out);
}

/* Whatever comes: bounded, and nothing is read behind its end (exact allocations, for sanitizers). */
static void test_noise(void)
{
	struct buffer out = BUFFER_INIT;
	size_t bad = 0;

	for (unsigned seed = 1; seed < 3000; seed++) {
		size_t size = 1 + seed % 97;
		char *line = malloc(size);

		fill(line, size, seed);
		for (size_t i = seed % 5; i < size; i += 5)
			line[i] = "\033\r\b\t[]\\\n"[(unsigned char)line[i] % 8];
		out.length = 0;
		target_output_plain(&out, line, size);
		bad += out.length > 8 * size || (out.length && memchr(out.data, '\033', out.length));
		free(line);
	}
	ok(bad == 0, "noise stays within bounds and leaves no escape");
	buffer_release(&out);
}

static char path[] = "/tmp/memview-stream-XXXXXX";

static struct input *follow(void)
{
	const struct input_request request = { .where = path, .follow = true };
	struct input *input;
	char error[256];

	if (input_open(&input, &request, error, sizeof(error)) < 0)
		abort();
	return input;
}

/* Bytes of all that many reads. */
static size_t look(struct input *input, unsigned times)
{
	char bytes[256];
	size_t sum = 0;

	while (times--)
		sum += (size_t)input_read(input, bytes, sizeof(bytes));
	return sum;
}

static int writer(bool holds)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);

	if (holds && !hold_take(fd))
		abort();
	return fd;
}

static void put(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		abort();
}

static void test_writer_seen(void)
{
	struct input *input = follow();
	int a = writer(true), b = writer(true);

	put(a, "begin");
	ok(look(input, 5) == 5 && input_is_live(input), "a file that is held and brings nothing is live");
	close(a);
	look(input, 5);
	ok(!input_is_abandoned(input), "so it is as long as one of two holds it");
	put(b, "end");
	close(b);
	ok(look(input, 1) == 3 && look(input, 1) == 0 && !input_is_abandoned(input), "what came last is read first");
	look(input, 1);
	ok(input_is_abandoned(input) && !input_is_live(input), "then nobody writes it any more");
	ok(input_is_watched(input) && input_state(input) == INPUT_FLOWING, "it is looked at all the same");
	a = writer(true);
	put(a, "more");
	ok(look(input, 1) == 4 && input_is_live(input), "somebody goes on with it");
	close(a);
	input_close(input);
}

static void test_writer_unseen(void)
{
	struct input *input = follow();
	char mark[HOLD_MARK];
	int fd = writer(false);

	look(input, 10);
	ok(!input_is_abandoned(input), "a file that was never held may be written from somewhere else");
	input_expect_writer(input, "0123456789abcdef");
	look(input, 5);
	ok(!input_is_abandoned(input), "so may a copy of one that was");
	hold_mark(fd, mark);
	input_expect_writer(input, mark);
	look(input, 5);
	ok(input_is_abandoned(input), "of the very file that the trace means the writer is gone");
	close(fd);
	input_close(input);
}

/* In place, and longer than before by the time that it is looked at. */
static void test_rewritten(void)
{
	struct input *input = follow();
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t before = look(input, 5);

	put(fd, "another beginning, which is quite a lot longer than what was there");
	ok(before > 0 && look(input, 1) == 0 && input_state(input) == INPUT_REPLACED,
	   "a file that begins differently was replaced, and nothing of it is taken");
	input_reload(input);
	ok(look(input, 1) > before && input_state(input) == INPUT_FLOWING, "it can be loaded");
	close(fd);
	input_close(input);
}

static void test_growing(void)
{
	int fd = mkstemp(path);

	if (!hold_take(fd) || hold_look(fd) == HOLD_UNKNOWN) {
		skip(1, "no locks in /tmp");
	} else {
		close(fd);
		test_writer_seen();
		test_writer_unseen();
		test_rewritten();
	}
	unlink(path);
}

int main(void)
{
	test_growing();
	test_prefix();
	test_lines();
	test_noise();
	return done_testing();
}
