/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A fuzz target: code that takes bytes from outside, fed with any bytes.
 *
 * One source serves two programs: a libFuzzer one (libfuzzer.c, ./configure --enable-fuzz), and
 * tests/fuzz/replay, which any compiler builds and which runs files and their mutations.
 *
 * A target aborts when a result is wrong.  Its marks are places that its corpus must reach: an
 * empty corpus, or one in a format that has changed, fails the smoke run instead of passing it. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct fuzz_mark {
	const char *what;
	uint64_t count;
};

struct fuzz_target {
	const char *name;
	struct fuzz_mark *marks;	/* ended by one without a text */
	void (*start)(void);		/* once, before all runs; may be NULL */
	void (*run)(const uint8_t *data, size_t size);
};

/* X(name): one fuzz_NAME in NAME.c each. */
#define FUZZ_TARGETS(X) \
	X(text) \
	X(records) \
	X(container) \
	X(columns) \
	X(settings) \
	X(address) \
	X(segment) \
	X(elf) \
	X(maps) \
	X(standalone)

#define X(name) extern const struct fuzz_target fuzz_##name;
FUZZ_TARGETS(X)
#undef X

/* A rule that holds whatever the bytes are. */
static inline void fuzz_rule(int holds)
{
	if (!holds)
		abort();
}

/* Input as a source of numbers: 0 behind its end. */
struct fuzz_in {
	const uint8_t *data;
	size_t size, at;
};

static inline uint64_t fuzz_take(struct fuzz_in *in, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= in->at < in->size ? (uint64_t)in->data[in->at++] << 8 * i : 0;
	return value;
}

#endif
