/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What x86-64 code looks like around signal returns and calls. */
#include "hook/unwind_cpu.h"

#ifdef __x86_64__

bool cpu_is_sigreturn(const uint8_t *code, size_t size)
{
	/* mov $__NR_rt_sigreturn, %rax (or %eax); syscall */
	static const uint8_t rax[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t eax[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	size_t same = 0;

	while (same < sizeof(rax) && same < size && code[same] == rax[same])
		same++;
	if (same == sizeof(rax))
		return true;
	same = 0;
	while (same < sizeof(eax) && same < size && code[same] == eax[same])
		same++;
	return same == sizeof(eax);
}

/* Length of an indirect call, FF /2, by its ModRM and SIB bytes; 0: it is none. */
static size_t indirect_length(const uint8_t *code)
{
	uint8_t mod = code[1] >> 6, reg = code[1] >> 3 & 7, rm = code[1] & 7;
	size_t length = 2;

	if (code[0] != 0xff || reg != 2)
		return 0;
	if (mod == 3)
		return length;
	if (rm == 4)
		length++;
	if (mod == 1)
		length++;
	if (mod == 2 || (mod == 0 && rm == 5) || (mod == 0 && rm == 4 && (code[2] & 7) == 5))
		length += 4;
	return length;
}

bool cpu_is_call(const uint8_t *code, size_t size, uintptr_t *target)
{
	const uint8_t *end = code + size;

	*target = 0;
	if (size >= 5 && end[-5] == 0xe8) {
		uint32_t distance = (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 |
				    (uint32_t)end[-1] << 24;

		*target = (uintptr_t)end + (uintptr_t)(int32_t)distance;
		return true;
	}
	for (size_t length = 2; length <= 7 && length <= size; length++)
		if (indirect_length(end - length) == length)
			return true;
	return false;
}

#endif
