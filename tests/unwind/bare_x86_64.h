/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: see tests/unwind/bare.h. */
#ifndef TESTS_UNWIND_BARE_X86_64_H
#define TESTS_UNWIND_BARE_X86_64_H

#include <stdint.h>

__asm__(".text\n"
	".type bare_call, @function\n"
	"bare_call:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	mov %rsi, %rbp\n"
	"	sub $24, %rsp\n"
	"	call *%rdi\n"
	"	add $24, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size bare_call, .-bare_call\n");

static const uint8_t bare_framed[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
static const uint8_t bare_frameless[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3 };

#endif
