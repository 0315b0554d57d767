/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text log: what is written is read back, and no line breaks the reader. */
#include "trace/text.h"

#include "tests/tap.h"

static struct trace_string str(const char *text)
{
	return (struct trace_string){ text, strlen(text) };
}

static int same(struct trace_string s, const char *text)
{
	return s.length == strlen(text) && !memcmp(s.data, text, s.length);
}

static void test_exact(void)
{
	struct text_line line = {
		.kind = TEXT_EVENT, .tid = 42, .name = { "worker", 6 }, .op = { "malloc", 6 },
		.ts = 1234, .size = 10, .total = 20, .ptr = 0x55AB10, .has_size = true,
		.has_total = true,
	};
	char out[TEXT_EVENT_MAX + 1], want[TEXT_EVENT_MAX];

	out[text_format_event(out, sizeof(out), &line)] = '\0';
	snprintf(want, sizeof(want), "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12llu size=%-12zu  "
		 "total=%-12zu  ptr=%p\n", 42, "worker", "malloc", 1234ull, (size_t)10, (size_t)20,
		 (void *)0x55ab10);
	is_string(out, want, "an allocation line is exact");
	line.has_size = line.has_total = false;
	line.op = str("free");
	out[text_format_event(out, sizeof(out), &line)] = '\0';
	snprintf(want, sizeof(want), "[memtrack] tid=%-6d (%-15s) %-10s ts=%-12llu  ptr=%p\n", 42,
		 "worker", "free", 1234ull, (void *)0x55ab10);
	is_string(out, want, "a free line is exact");
	line.kind = TEXT_EXIT;
	line.op = str("EXIT");
	out[text_format_event(out, sizeof(out), &line)] = '\0';
	snprintf(want, sizeof(want), "[memtrack] tid=%-6d (%-15s) EXIT       ts=%-12llu total=%-12zu "
		 "bytes allocated\n", 42, "worker", 1234ull, (size_t)20);
	is_string(out, want, "an exit line is exact");
	line = (struct text_line){ .kind = TEXT_FRAME, .index = 3, .binary = { "/bin/x", 6 },
				   .symbol = { "main", 4 }, .offset = 0x2a, .pc = 0x401136 };
	out[text_format_frame(out, sizeof(out), &line)] = '\0';
	is_string(out, "[memtrack]   #3  /bin/x(main+0x2a) [0x401136]\n", "a frame line is exact");
	is_int(text_format_frame(out, 20, &line), 0, "too small a buffer is refused");
	line.kind = TEXT_EVENT;
	line.ptr = line.ts = line.size = line.total = UINT64_MAX;
	line.has_size = line.has_total = true;
	line.name = line.op = str("0123456789012345678901234567890123456789012345678901234567890123456789");
	ok(text_format_event(out, TEXT_EVENT_MAX, &line) > 0, "the longest line fits");
}

static void test_names(void)
{
	static const char *const names[] = {
		"plain", "with blank", "a) free ts=1", ") ) )", "(((", "\xc3\xa4\xc3\xb6", "\x1b[31m",
		"fifteen bytes!!", "tid=1 (x) y", "",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct text_line in = { .kind = TEXT_EVENT, .tid = 7, .name = str(names[i]),
					.op = { "new[]", 5 }, .ts = 5, .size = 6, .total = 7,
					.ptr = 0x10, .has_size = true, .has_total = true };
		struct text_line back;
		char out[TEXT_EVENT_MAX], shown[64];
		size_t length = text_format_event(out, sizeof(out), &in);

		snprintf(shown, sizeof(shown), "%s", names[i]);
		for (char *c = shown; *c; c++)
			*c = *c > 0 && *c < 0x20 ? '?' : *c;
		ok(text_parse(out, length - 1, &back) == TEXT_EVENT && same(back.name, shown) &&
		   same(back.op, "new[]") && back.tid == 7 && back.ts == 5 && back.size == 6 &&
		   back.total == 7 && back.ptr == 0x10, "the name of case %zu comes back", i);
	}
}

static void test_lines(void)
{
	static const struct {
		const char *line;
		enum text_kind kind;
	} cases[] = {
		{ "", TEXT_FOREIGN },
		{ "hello", TEXT_FOREIGN },
		{ "[memtrack] ", TEXT_FOREIGN },
		{ "[memtrack] memtrack: cannot bind", TEXT_FOREIGN },
		{ "[memtrack] tid=1 (a) malloc ts=2 size=3 total=4 ptr=0x5", TEXT_EVENT },
		{ "output[memtrack] tid=1 (a) malloc ts=2 size=3 total=4 ptr=0x5\r", TEXT_EVENT },
		{ "[memtrack] tid=1 (a) munmap ts=2 size=3 ptr=0x5", TEXT_EVENT },
		{ "[memtrack] tid=1 (a) malloc ts=2 size=3 total=4", TEXT_FOREIGN },
		{ "[memtrack] tid=1 (a) malloc ts=99999999999999999999 ptr=0x1", TEXT_FOREIGN },
		{ "[memtrack] tid=1 (a) EXIT ts=2 total=4 bytes allocated", TEXT_EXIT },
		{ "[memtrack]   #0 x [0x1]", TEXT_FRAME },
		{ "[memtrack]   #0 x [0x]", TEXT_FOREIGN },
		{ "[memtrack]   #0 x", TEXT_FOREIGN },
	};
	struct text_line line;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_int(text_parse(cases[i].line, strlen(cases[i].line), &line), cases[i].kind,
		       "line %zu is what it is", i);
}

static void test_frames(void)
{
	const char *plain = "[memtrack]   #12 /a b/x(f(int, char*) const+0x2A) [0xfff]";
	const char *bare = "[memtrack]   #1  libc.so.6(+0x1234) [0x7f00]";
	struct text_line line;

	text_parse(plain, strlen(plain), &line);
	ok(line.kind == TEXT_FRAME && line.index == 12 && same(line.binary, "/a b/x") &&
	   same(line.symbol, "f(int, char*) const") && line.offset == 0x2a && line.pc == 0xfff,
	   "a frame with a demangled symbol");
	text_parse(bare, strlen(bare), &line);
	ok(line.kind == TEXT_FRAME && same(line.binary, "libc.so.6") && !line.symbol.length &&
	   line.offset == 0x1234, "a frame without a symbol");
}

static void test_noise(void)
{
	static const char *const words[] = {
		"[memtrack] ", "tid=", "1", " ", "(", ")", "ts=", "size=", "ptr=", "0x", "f", "#", "[",
		"]", "+", "EXIT", "\xff", "total=",
	};
	struct text_line line;
	char text[400];
	unsigned seed = 1;
	int kinds = 0;

	for (int i = 0; i < 200000; i++) {
		size_t length = 0;

		while (length < 200) {
			const char *word;

			seed = seed * 1103515245 + 12345;
			if (seed >> 28 == 0)
				break;
			word = words[(seed >> 16) % (sizeof(words) / sizeof(words[0]))];
			memcpy(text + length, word, strlen(word));
			length += strlen(word);
		}
		char *exact = malloc(length + 1);	/* exact, so that ASan sees the end */

		memcpy(exact, text, length);
		kinds |= 1 << text_parse(exact, length, &line);
		free(exact);
	}
	ok(kinds, "200000 lines of noise were survived");
}

int main(void)
{
	test_exact();
	test_names();
	test_lines();
	test_frames();
	test_noise();
	return done_testing();
}
