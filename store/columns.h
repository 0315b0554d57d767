/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of a chunk in another order of bytes: like to like, which compresses better.
 *
 *	records  [..][EVENTS ops stamps ..][STACKS ..][EVENTS ops stamps ..]
 *	parts    [..][EVENTS][STACKS ..][EVENTS] | ops ops | stamps stamps | ...
 *
 * The first part holds everything but the columns of EVENTS records, their lengths included. */
#ifndef STORE_COLUMNS_H
#define STORE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

#define COLUMNS_PARTS	(1 + TRACE_EVENT_COLUMNS)

/* Writes `length` bytes to `parts`, one part behind the other, and the bytes of each to sizes.
 * False: the records are not whole ones, and nothing is to be done with them. */
bool columns_split(const uint8_t *records, size_t length, uint8_t *parts, size_t sizes[COLUMNS_PARTS]);

/* Undoes it: `length` bytes to `records`.  first: bytes of the first part.  False: these are no
 * parts of that many bytes. */
bool columns_join(const uint8_t *parts, size_t length, size_t first, uint8_t *records);

#endif
