/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of memview that look at bytes as they come: beginnings of streams, a program's output. */
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
	test_prefix();
	test_lines();
	test_noise();
	return done_testing();
}
