/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounded reading of DWARF data. */
#include "hook/cfi_read.h"

uint64_t cfi_read_fixed(struct cfi_cursor *c, unsigned bytes)
{
	uint64_t value = 0;

	if ((uint64_t)(c->end - c->at) < bytes) {
		c->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)c->at[i] << (8 * i);
	c->at += bytes;
	return value;
}

uint64_t cfi_read_uleb(struct cfi_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->bad = true;
	return 0;
}

int64_t cfi_read_sleb(struct cfi_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end;) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= ~(uint64_t)0 << shift;
		return (int64_t)value;
	}
	c->bad = true;
	return 0;
}

void cfi_skip(struct cfi_cursor *c, uint64_t bytes)
{
	if ((uint64_t)(c->end - c->at) < bytes)
		c->bad = true;
	else
		c->at += bytes;
}

uint64_t cfi_read_encoded(struct cfi_cursor *c, uint8_t encoding, uintptr_t data)
{
	uintptr_t here = (uintptr_t)c->at;
	uint64_t value = 0;

	if (encoding == PE_OMIT)
		return 0;
	if (encoding == PE_ALIGNED) {
		cfi_skip(c, -here & 7);
		return cfi_read_fixed(c, 8);
	}
	switch (encoding & 0x0f) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8: value = cfi_read_fixed(c, 8); break;
	case PE_UDATA2: value = cfi_read_fixed(c, 2); break;
	case PE_UDATA4: value = cfi_read_fixed(c, 4); break;
	case PE_SDATA2: value = (uint64_t)(int16_t)cfi_read_fixed(c, 2); break;
	case PE_SDATA4: value = (uint64_t)(int32_t)cfi_read_fixed(c, 4); break;
	case PE_ULEB128: value = cfi_read_uleb(c); break;
	case PE_SLEB128: value = (uint64_t)cfi_read_sleb(c); break;
	default: c->bad = true; return 0;
	}
	switch (encoding & 0x70) {
	case 0: break;
	case PE_PCREL: value += here; break;
	case PE_DATAREL: value += data; break;
	default: c->bad = true;
	}
	return value;
}
