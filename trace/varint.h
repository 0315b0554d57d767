/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LEB128 varints: seven bits a byte, least significant first, bit 7 says "more follow".
 * Internal to the codec. */
#ifndef TRACE_VARINT_H
#define TRACE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX	10u	/* bytes of the longest 64-bit varint */

static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

static inline size_t varint_length(uint64_t value)
{
	return (size_t)(70 - __builtin_clzll(value | 1)) / 7;
}

/* Writes without looking at any end: VARINT_MAX bytes of room.  Returns what comes behind. */
static inline uint8_t *varint_write(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

/* The same in exactly `width` bytes (value < 2^(7 width)), so that a length can be put in front
 * of bytes before it is known. */
static inline void varint_write_wide(uint8_t *at, uint64_t value, size_t width)
{
	for (size_t i = 0; i + 1 < width; i++, value >>= 7)
		at[i] = (uint8_t)(value | 0x80);
	at[width - 1] = (uint8_t)(value & 0x7f);
}

/* Reads one; NULL when it runs over the end or over 64 bits. */
static inline const uint8_t *varint_read(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (at < end && shift < 64) {
		uint8_t byte = *at++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = v;
			return at;
		}
		shift += 7;
	}
	return NULL;
}

#endif
