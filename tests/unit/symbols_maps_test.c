/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/maps: hostile names, deleted files, garbage, and our own. */
#include "symbols/maps.h"
#include "tests/tap.h"

#include <errno.h>
#include <unistd.h>

static const char text[] =
	"00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/a b (deleted)\n"
	"00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/a b (deleted)\n"
	"00652000-00655000 rw-p 00000000 00:00 0 \n"
	"00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
	"35b1800000-35b1820000 r-xp 00000000 fd:1a 135522  /lib/x\\012[heap]\\012y \t(deleted)z\n"
	"nonsense\n"
	"35b1900000-35b1800000 r-xp 00000000 08:02 1 /backwards\n"
	"ffffffffffffffffff-1 r-xp 00000000 08:02 1 /too/large\n"
	"35b1a00000-35b1a01000 rw-s 00000000 00:01 42\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]";

static void test_lines(void)
{
	struct maps m;
	const struct map_entry *e;
	size_t first, last;

	is_int(maps_parse(text, sizeof(text) - 1, &m), 0, "parses");
	is_int(m.count, 7, "lines that make no sense are left out");
	e = &m.items[0];
	ok(e->start == 0x400000 && e->end == 0x452000 && e->inode == 173521 && e->dev_major == 8 &&
	   e->dev_minor == 2, "numbers");
	ok(e->read && !e->write && e->execute && !e->shared, "rights");
	is_string(e->name, "/usr/bin/a b", "a name with a blank");
	ok(e->deleted, "deleted");
	is_string(m.items[2].name, "", "anonymous");
	is_string(m.items[3].name, "[heap]", "[heap]");
	is_string(m.items[4].name, "/lib/x\n[heap]\ny \t(deleted)z", "newlines and tabs in a name");
	ok(!m.items[4].deleted && m.items[4].dev_minor == 0x1a, "... of a file that is there");
	ok(m.items[5].shared && m.items[5].inode == 42, "a line that ends with the inode");
	is_string(m.items[6].name, "[vsyscall]", "a last line without newline");
	ok(maps_find(&m, 0x451fff) == &m.items[0] && !maps_find(&m, 0x452000) && !maps_find(&m, 0),
	   "finds by address");
	ok(maps_object(&m, 0x651000, &first, &last) && first == 0 && last == 1, "an object's mappings");
	ok(!maps_object(&m, 0x652000, &first, &last), "anonymous memory is no object");
	maps_release(&m);
}

static void test_garbage(void)
{
	struct maps m;
	char copy[sizeof(text)];

	srand(5);
	for (int i = 0; i < 20000; i++) {
		memcpy(copy, text, sizeof(text));
		for (int j = rand() % 20; j >= 0; j--)
			copy[(size_t)rand() % (sizeof(text) - 1)] = (char)(rand() % 3 ? rand() : '\n');
		maps_parse(copy, (size_t)rand() % sizeof(text), &m);
		maps_release(&m);
	}
	ok(1, "20,000 damaged texts");
}

static void test_own(void)
{
	struct maps m;
	const struct map_entry *e;

	is_int(maps_read(getpid(), &m), 0, "reads our own");
	e = maps_find(&m, (uintptr_t)test_own);
	ok(e && e->execute && strstr(e->name, "symbols_maps_test"), "our code is in our file");
	e = maps_find(&m, (uintptr_t)&m);
	ok(e && e->write && strcmp(e->name, "[stack]") == 0, "our variables are on the stack");
	maps_release(&m);
	is_int(maps_read(0x7ffffff0, &m), -ESRCH, "no such process");
}

int main(void)
{
	test_lines();
	test_garbage();
	test_own();
	return done_testing();
}
