/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that goes to a file: nothing of it changes, and little of it is resident.
 *
 *	spill_test [FOLDER [WHAT]]	FOLDER: one on a small disk, which is to be filled, or where
 *					nothing can be written, as WHAT says */
#include "tests/tap.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/spill.h"

#define MIB	((size_t)1 << 20)
#define PIECES	24u
#define PIECE	(2 * MIB)
#define FULL	200u

static uint8_t *pieces[FULL];

static void fill(unsigned i, size_t size)
{
	for (size_t at = 0; at < size; at += 512)
		pieces[i][at] = (uint8_t)(i * 31 + at / 512);
}

static bool holds(unsigned i, size_t size)
{
	for (size_t at = 0; at < size; at += 512)
		if (pieces[i][at] != (uint8_t)(i * 31 + at / 512) || pieces[i][at + 1])
			return false;
	return true;
}

/* Pages in this process's page tables: of files, and others. */
static size_t resident_pages(size_t *others)
{
	unsigned long pages = 0, all = 0;
	FILE *in = fopen("/proc/self/statm", "r");

	if (in && fscanf(in, "%*u %lu %lu", &all, &pages) != 2)
		pages = all = 0;
	if (in)
		fclose(in);
	if (others)
		*others = all - pages;
	return pages;
}

static void test_all(size_t budget, const char *what)
{
	struct spill *s = spill_new(budget, NULL);
	size_t before = resident_pages(NULL), most = 0;
	unsigned wrong = 0, dirty = 0;

	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i] = spill_get(s, PIECE);
		for (size_t at = 0; at < PIECE; at += 4096)
			dirty += pieces[i][at] != 0;
		fill(i, PIECE);
		spill_trim(s);
	}
	for (unsigned i = 0; i < PIECES; i++) {
		wrong += !holds(i, PIECE);
		spill_trim(s);
		most = resident_pages(NULL) > most ? resident_pages(NULL) : most;
	}
	/* Old ones are written to as well. */
	for (unsigned i = 0; i < PIECES; i++)
		pieces[i][PIECE - 511] = 7;
	for (unsigned i = 0; i < PIECES; i++)
		wrong += pieces[i][PIECE - 511] != 7;
	is_int(wrong, 0, "%s: what was written is there", what);
	is_int(dirty, 0, "%s: a new piece is nothing but zeroes", what);
	if (budget && !spill_message(s)[0]) {
		ok(spill_aside(s) >= PIECES * PIECE - budget, "%s: the rest is in the file", what);
		ok((most - before) * 4096 <= budget / 3 + 2 * PIECE,
		   "%s: and not resident (%zu KiB more)", what, (most - before) * 4);
	} else if (budget) {
		printf("# no disk for it: %s\n", spill_message(s));
	}
	spill_free(s);
}

/* Enough to have what is around fetched. */
static void touch_much(struct spill *s, unsigned i)
{
	for (unsigned k = 0; k < 80; k++)
		spill_touch(s, pieces[i] + k * 4096);
}

/* What is touched much comes into memory, is written to there, and goes back; whether a look finds it
 * in the one place or in the other, it is the same. */
static void test_touch(void)
{
	struct spill *s = spill_new(3, NULL);
	size_t before, now, most = 0;
	unsigned wrong = 0, seed = 1;

	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i] = spill_get(s, PIECE);
		fill(i, PIECE);
	}
	resident_pages(&before);
	for (unsigned round = 0; round < 300; round++) {
		unsigned i = (seed = seed * 1103515245 + 12345) / 65536 % PIECES;

		spill_trim(s);
		touch_much(s, i);
		resident_pages(&now);
		most = now > most ? now : most;
		pieces[i][PIECE - 512 * (1 + round % 9) + 2] = (uint8_t)round;
		spill_trim(s);
		wrong += pieces[i][PIECE - 512 * (1 + round % 9) + 2] != (uint8_t)round || !holds(i, PIECE);
	}
	for (unsigned i = 1; i < PIECES; i += 2) {
		touch_much(s, i);
		spill_put(s, pieces[i]);
		spill_touch(s, pieces[i]);
		spill_touch(s, pieces[i - 1]);
	}
	for (unsigned i = 0; i < PIECES; i += 2)
		wrong += !holds(i, PIECE);
	is_int(wrong, 0, "what is touched much is the same in memory and in the file");
	if (!spill_message(s)[0])
		ok(most > before + 512 && most < before + 2048, "and two windows were in memory (%zu pages)",
		   most - before);
	spill_free(s);
}

static void test_put(void)
{
	struct spill *s = spill_new(4 * MIB, NULL);
	unsigned wrong = 0;

	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i] = spill_get(s, PIECE);
		fill(i, PIECE);
	}
	for (unsigned i = 1; i < PIECES; i += 2)
		spill_put(s, pieces[i]);
	spill_put(s, NULL);
	for (unsigned i = 1; i < PIECES; i += 2) {
		pieces[i] = spill_get(s, PIECE);
		for (size_t at = 0; at < PIECE; at += 4096)
			wrong += pieces[i][at] != 0;
		fill(i, PIECE);
	}
	is_int(wrong, 0, "space that was put back is all zeroes again");
	for (unsigned i = 0; i < PIECES; i++)
		wrong += !holds(i, PIECE);
	is_int(wrong, 0, "and the others are what they were");
	spill_free(s);
}

/* Nothing is lost when there is no room: it stays in memory, and it is said. */
static void test_nowhere(const char *folder, const char *what)
{
	struct spill *s = spill_new(3 * MIB, folder);
	unsigned wrong = 0;

	for (unsigned i = 0; i < PIECES; i++) {
		pieces[i] = spill_get(s, PIECE);
		fill(i, PIECE);
		touch_much(s, i / 2);
		pieces[i / 2][2] = (uint8_t)i;
		spill_trim(s);
	}
	for (unsigned i = 0; i < PIECES; i++)
		wrong += !holds(i, PIECE) || pieces[i][2] != (i < PIECES / 2 ? 2 * i + 1 : 0);
	is_int(wrong, 0, "%s: nothing is lost", what);
	ok(strstr(spill_message(s), "stay in memory"), "%s: %s", what, spill_message(s));
	spill_free(s);
}

static void test_file_limit(void)
{
	struct rlimit old, low = { .rlim_cur = 8 * MIB };

	getrlimit(RLIMIT_FSIZE, &old);
	low.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &low);
	test_nowhere(NULL, "a limit on files");
	setrlimit(RLIMIT_FSIZE, &old);
}

/* Memory comes to an end: NULL, and all that was got before is good. */
static void test_no_memory(void)
{
	struct spill *s = spill_new(0, NULL);
	struct rlimit old, low;
	unsigned count = 0, wrong = 0;

	getrlimit(RLIMIT_AS, &old);
	low = old;
	low.rlim_cur = 96 * MIB;
	setrlimit(RLIMIT_AS, &low);
	while (count < FULL && (pieces[count] = spill_get(s, PIECE))) {
		fill(count, PIECE);
		count++;
	}
	for (unsigned i = 0; i < count; i++)
		wrong += !holds(i, PIECE);
	setrlimit(RLIMIT_AS, &old);
	ok(count > 0 && count < FULL, "memory ends after %u pieces, and the program does not", count);
	is_int(wrong, 0, "they are good");
	spill_free(s);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		test_nowhere(argv[1], argc > 2 ? argv[2] : "a full disk");
		return done_testing();
	}
	test_all(0, "no limit");
	test_all(9 * MIB, "a small budget");
	test_all(3, "no budget");
	test_touch();
	test_put();
	test_nowhere("/nowhere/at/all", "a folder that is not there");
	if (access("/dev/shm", W_OK) == 0)
		test_nowhere("/dev/shm", "a folder in memory");
	test_file_limit();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	test_no_memory();
#endif
	return done_testing();
}
