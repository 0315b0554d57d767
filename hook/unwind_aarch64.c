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
