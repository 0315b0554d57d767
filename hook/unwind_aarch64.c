/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What 64-bit ARM code looks like around signal returns and calls. */
#include "hook/unwind_cpu.h"

#ifdef __aarch64__

static uint32_t instruction(const uint8_t *code)
{
	return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

bool cpu_is_sigreturn(const uint8_t *code, size_t size)
{
	/* mov x8, #__NR_rt_sigreturn; svc #0 */
	return size >= 8 && instruction(code) == 0xd2801168 && instruction(code + 4) == 0xd4000001;
}

/* adrp x16, ...; ldr x17, [x16, ...]; add x16, x16, ...; br x17: the link register is the caller's.  The
 * first stub pushes two registers before it does the same. */
static bool in_stub(uint32_t code)
{
	return (code & 0x9f00001f) == 0x90000010 || (code & 0xffc003ff) == 0xf9400211 ||
	       (code & 0xffc003ff) == 0x91000210;
}

int cpu_stub_bytes(const uint8_t *code, size_t before, size_t behind)
{
	const uint32_t push = 0xa9bf7bf0, jump = 0xd61f0220;	/* stp x16, x30, [sp, #-16]! */
	size_t at = 0, first = 0;

	if (behind >= 8 && instruction(code) == push && in_stub(instruction(code + 4)))
		return 0;
	while (at < 12 && at + 4 < behind && in_stub(instruction(code + at)))
		at += 4;
	if (at + 4 > behind || instruction(code + at) != jump)
		return -1;
	while (first < 12 && first + 4 <= before && in_stub(instruction(code - first - 4)))
		first += 4;
	return first + 4 <= before && instruction(code - first - 4) == push ? 16 : 0;
}

/* bl; blr, blraa, blrab, blraaz, blrabz */
bool cpu_is_call(const uint8_t *code, size_t size, uintptr_t *target)
{
	uint32_t call;

	*target = 0;
	if (size < 4 || (uintptr_t)(code + size) & 3)
		return false;
	call = instruction(code + size - 4);
	if (call >> 26 == 0x25) {
		*target = (uintptr_t)(code + size - 4) + (uintptr_t)(intptr_t)((int32_t)(call << 6) >> 4);
		return true;
	}
	return (call & 0xfefff000) == 0xd63f0000;
}

#endif
