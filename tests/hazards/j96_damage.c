/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J96 TRACE: every length a trace can be cut to, and every byte turned over, through the model and
 * its report: no crash, no huge allocation, no verdict on leaks without the end of the trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "model/heap.h"
#include "model/report.h"
#include "tests/tap.h"

#define TRACE_MAX (1 << 20)
#define SIGNATURE 8	/* without it, it is no trace: a log that holds nothing */
#define ROOM (1ul << 30)	/* a forged length must not be believed: more than this is not there */

struct outcome {
	bool refused, damaged, complete;
	uint64_t events, leaked;
};

static struct outcome read_bytes(const void *bytes, size_t length)
{
	struct heap *heap = heap_new(NULL);
	struct report_options options = { 0 };
	struct buffer text = BUFFER_INIT;
	struct outcome outcome = { .refused = heap_feed(heap, bytes, length) < 0 };
	struct heap_status status;
	struct heap_totals totals;

	heap_end(heap);
	heap_status(heap, &status);
	heap_totals(heap, HEAP_BLOCKS, &totals);
	report_text(heap, &options, &text);
	outcome.damaged = status.damaged;
	outcome.complete = status.end != HEAP_RUNNING;
	outcome.events = status.events;
	outcome.leaked = totals.leaked;
	buffer_release(&text);
	heap_free(heap);
	return outcome;
}

static void cut_everywhere(const char *bytes, size_t length, const struct outcome *whole)
{
	size_t silent = 0, too_many = 0, verdicts = 0;
	uint64_t before = 0;
	bool falls = false;

	for (size_t n = 0; n < length; n++) {
		struct outcome cut = read_bytes(bytes, n);

		silent += n && !cut.refused && !cut.damaged && !cut.complete && cut.events;
		too_many += cut.events > whole->events;
		verdicts += !cut.complete && cut.leaked;
		falls |= cut.events < before;
		before = cut.events;
	}
	is_int(silent, 0, "a trace that is cut off is known for one");
	is_int(too_many, 0, "and holds no more than all of it");
	is_int(verdicts, 0, "nothing is leaked where the end is missing");
	ok(!falls, "the more there is, the more is read");
}

static void turn_everywhere(char *bytes, size_t length, const struct outcome *whole)
{
	static const unsigned char masks[] = { 0xff, 0x80, 0x01 };
	size_t unnoticed = 0;

	for (size_t n = SIGNATURE; n < length; n++) {
		unsigned char mask = masks[n % sizeof(masks)];
		struct outcome bad;

		bytes[n] ^= (char)mask;
		bad = read_bytes(bytes, length);
		bytes[n] ^= (char)mask;
		unnoticed += !bad.refused && !bad.damaged && bad.events != whole->events;
	}
	is_int(unnoticed, 0, "a byte that is turned over changes no figure unnoticed");
}

static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit room = { ROOM, ROOM };

	setrlimit(RLIMIT_AS, &room);
#endif
}

int main(int argc, char **argv)
{
	static char bytes[TRACE_MAX];
	FILE *in = fopen(argc > 1 ? argv[1] : "", "rb");
	size_t length = in ? fread(bytes, 1, sizeof(bytes), in) : 0;
	struct outcome whole = read_bytes(bytes, length);

	limit_memory();
	printf("# %zu bytes\n", length);
	ok(whole.complete && !whole.damaged && whole.leaked == 3, "the trace itself is whole");
	cut_everywhere(bytes, length, &whole);
	turn_everywhere(bytes, length, &whole);
	return done_testing();
}
