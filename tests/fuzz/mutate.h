/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deterministic mutations, for machines without a fuzzer. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A few changes of data[0..size), which has room for `room` bytes; other: bytes to take pieces
 * from.  Returns the new size. */
size_t mutate(uint8_t *data, size_t size, size_t room, const uint8_t *other, size_t other_size, uint64_t *seed);

#endif
