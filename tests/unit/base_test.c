/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/: strings, vectors, maps, interned strings, units, foreign text. */
#include <errno.h>
#include <locale.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vector.h"
#include "tests/tap.h"

static uint64_t random_next(void)
{
	static uint64_t state = 1;

	return hash_mix64(state++);
}

static void test_buffer(void)
{
	struct buffer b = BUFFER_INIT;
	char *text;

	is_string(buffer_text(&b), "", "an empty buffer is an empty text");
	buffer_append(&b, NULL, 0);
	for (int i = 0; i < 1000; i++)
		buffer_printf(&b, "%d,", i);
	is_int(b.length, 10 * 2 + 90 * 3 + 900 * 4, "a thousand numbers have their length");
	ok(!strncmp(buffer_text(&b), "0,1,2,3,", 8), "and begin right");
	buffer_drop(&b, 4);
	ok(!strncmp(buffer_text(&b), "2,3,", 4), "dropping cuts off the front");
	buffer_drop(&b, 100000);
	is_int(b.length, 0, "dropping more than there is empties");
	buffer_append_string(&b, "ab");
	buffer_append_repeat(&b, '-', 3);
	buffer_append_char(&b, 'c');
	text = buffer_detach(&b);
	is_string(text, "ab---c", "what was detached");
	free(text);
	text = buffer_detach(&b);
	is_string(text, "", "an empty buffer detaches as \"\"");
	free(text);
	text = xasprintf("%s-%d", "x", 5);
	is_string(text, "x-5", "xasprintf");
	free(text);
	text = xstrndup("abcdef", 3);
	is_string(text, "abc", "xstrndup");
	free(text);
	buffer_release(&b);
}

static void test_vector(void)
{
	struct pair {
		int a, b;
	};
	VECTOR(struct pair) v = { 0 };
	int good = 1;

	for (int i = 0; i < 1000; i++)
		vector_push(&v, (struct pair){ i, -i });
	for (int i = 0; i < 1000; i++)
		good &= v.items[i].a == i && v.items[i].b == -i;
	ok(good && v.count == 1000, "a thousand items");
	vector_push(&v, v.items[3]);
	is_int(vector_last(&v).a, 3, "pushing an item of its own");
	vector_resize(&v, 5000);
	ok(v.items[4999].a == 0 && v.items[1001].b == 0, "new items are zero");
	vector_release(&v);
	is_int(v.count, 0, "released");
}

/* The map against a plain array over a small key space, so that runs collide and wrap. */
static void test_map(void)
{
	static uint64_t model[512];
	static bool there[512];
	struct map m = MAP_INIT;
	uint64_t key, value, sum = 0, want = 0;
	size_t live = 0, seen = 0;
	int good = 1;

	ok(!map_find(&m, 0) && !map_find(&m, 5) && !map_remove(&m, 5, NULL), "an empty map");
	for (int i = 0; i < 200000; i++) {
		size_t k = random_next() % 512;

		key = k ? k * 0x10 : 0;
		if (random_next() % 2) {
			map_put(&m, key, (uint64_t)i);
			live += !there[k];
			there[k] = true;
			model[k] = (uint64_t)i;
		} else {
			value = 0;
			good &= map_remove(&m, key, &value) == there[k];
			good &= !there[k] || value == model[k];
			live -= there[k];
			there[k] = false;
		}
		good &= map_count(&m) == live;
	}
	for (size_t k = 0; k < 512; k++) {
		good &= map_get(&m, k * 0x10, &value) == there[k];
		want += there[k] ? model[k] ^ k * 0x10 : 0;
	}
	ok(good, "200000 random changes agree with a plain array");
	for (size_t at = 0; map_each(&m, &at, &key, &value); seen++)
		sum += value ^ key;
	ok(seen == live && sum == want, "walking meets each pair once");
	map_reserve(&m, 5000);
	good = m.mask == 8191 && map_count(&m) == live;
	for (size_t k = 0; k < 512; k++)
		good &= map_get(&m, k * 0x10, &value) == there[k] && (!there[k] || value == model[k]);
	map_reserve(&m, 6);
	ok(good && m.mask == 8191, "room made keeps all, and never shrinks");
	map_clear(&m);
	is_int(map_count(&m), 0, "cleared");
	*map_place(&m, 0, NULL) += 4;
	ok(map_get(&m, 0, &value) && value == 4, "the key 0 is a key");
	map_release(&m);
}

static void test_intern(void)
{
	struct intern *in = intern_new();
	char text[32];
	int good = 1;
	size_t length;
	const char *first;

	is_int(intern_put(in, "", 0), 1, "the empty string is a string");
	first = intern_text(in, 1, NULL);
	for (int i = 0; i < 50000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		good &= intern_put_string(in, text) == (uint32_t)i + 2;
	}
	for (int i = 0; i < 50000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		good &= intern_find(in, text, strlen(text)) == (uint32_t)i + 2;
		good &= !strcmp(intern_text(in, (uint32_t)i + 2, &length), text);
		good &= length == strlen(text);
	}
	ok(good, "50000 strings have dense ids");
	ok(first == intern_text(in, 1, NULL), "texts stay where they are");
	is_int(intern_put(in, "a\0b", 3), 50002, "NULs are bytes");
	is_int(intern_find(in, "a", 1), 0, "what is not there is 0");
	is_string(intern_text(in, 99999, &length), "", "an unknown id is empty");
	is_int(intern_count(in), 50002, "the count");
	intern_free(in);
	intern_free(NULL);
}

static void test_units(void)
{
	static const struct {
		uint64_t number;
		const char *bytes, *duration, *count;
	} cases[] = {
		{ 0, "0 B", "0ns", "0" },
		{ 999, "999 B", "999ns", "999" },
		{ 1023, "1023 B", "1.0us", "1,023" },
		{ 1536, "1.5 KiB", "1.5us", "1,536" },
		{ 267000, "260.7 KiB", "0.267ms", "267,000" },
		{ 1048575, "1.0 MiB", "1.049ms", "1,048,575" },
		{ 1234000000, "1.1 GiB", "1.234s", "1,234,000,000" },
		{ 123ull * 1000000000, "114.6 GiB", "2m03s", "123,000,000,000" },
		{ 18420ull * 1000000000, "16.8 TiB", "5h07m", "18,420,000,000,000" },
		{ UINT64_MAX, "16.0 EiB", "5124095h34m", "18,446,744,073,709,551,615" },
	};
	char out[UNITS_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		is_string(format_bytes(out, sizeof(out), cases[i].number), cases[i].bytes, "bytes");
		is_string(format_duration(out, sizeof(out), cases[i].number), cases[i].duration,
			  "duration");
		is_string(format_count(out, sizeof(out), cases[i].number), cases[i].count, "count");
	}
	format_count(out, 4, 1234567);
	is_string(out, "1,2", "a short buffer cuts");
}

static void test_parse(void)
{
	static const struct {
		const char *text;
		int err;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 }, { "4096", 0, 4096 }, { "64K", 0, 65536 }, { "64k", 0, 65536 },
		{ "1M", 0, 1048576 }, { "2GiB", 0, 2ull << 30 }, { "3kb", 0, 3072 }, { "5B", 0, 5 },
		{ "0x10", 0, 16 }, { "", -EINVAL, 0 }, { "-1", -EINVAL, 0 }, { " 1", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 }, { "1Q", -EINVAL, 0 }, { "K", -EINVAL, 0 }, { "1KK", -EINVAL, 0 },
		{ "18446744073709551616", -ERANGE, 0 }, { "99999999999999T", -ERANGE, 0 },
		{ "1.5M", -EINVAL, 0 },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = 0;
		ok(parse_size(cases[i].text, &value) == cases[i].err && value == cases[i].value,
		   "the size '%s'", cases[i].text);
	}
	ok(parse_number("12", &value) == 0 && value == 12, "a number");
	ok(parse_number("12K", &value) == -EINVAL, "a number has no unit");
}

static void is_sane(const char *in, size_t length, const char *want, const char *what)
{
	struct buffer b = BUFFER_INIT;

	text_sanitise(&b, in, length);
	is_string(buffer_text(&b), want, "%s", what);
	buffer_release(&b);
}

static void test_text(void)
{
	struct buffer b = BUFFER_INIT;
	size_t width;

	is_sane("plain text", 10, "plain text", "plain text stays");
	is_sane("\x1b[31m\n\t\x7f", 8, "\\x1b[31m\\x0a\\x09\\x7f", "controls are shown");
	is_sane("a\0b", 3, "a\\x00b", "NUL is shown");
	is_sane("\xc2\x9b", 2, "\\xc2\\x9b", "C1 is shown");
	is_sane("\xc3\xa4\xe6\xbc\xa2", 5, "\xc3\xa4\xe6\xbc\xa2", "UTF-8 stays");
	is_sane("\xff\xc3", 2, "\\xff\\xc3", "broken UTF-8 is shown");
	is_sane("\xc0\x80\xed\xa0\x80", 5, "\\xc0\\x80\\xed\\xa0\\x80", "overlong and surrogates");
	is_sane("\xe2\x80\xae", 3, "\\xe2\\x80\\xae", "direction marks are shown");
	text_sanitise_ascii(&b, "\xc3\xa4\xe6\xbc\xa2x", 6);
	is_string(buffer_text(&b), "??x", "ASCII for those who need it");
	buffer_release(&b);
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		skip(4, "no C.UTF-8 locale");
		return;
	}
	is_int(text_width("abc", 3), 3, "width of ASCII");
	is_int(text_width("\xe6\xbc\xa2x", 4), 3, "wide characters take two");
	is_int(text_width("e\xcc\x81x", 4), 2, "combining ones none");
	ok(text_clip("\xe6\xbc\xa2\xe6\xbc\xa2", 6, 3, &width) == 3 && width == 2,
	   "no half character at the edge");
}

int main(void)
{
	test_buffer();
	test_vector();
	test_map();
	test_intern();
	test_units();
	test_parse();
	test_text();
	return done_testing();
}
