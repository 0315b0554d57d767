/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: see tests/unwind/bare.h. */
#ifndef TESTS_UNWIND_BARE_AARCH64_H
#define TESTS_UNWIND_BARE_AARCH64_H

#include <stdint.h>

__asm__(".text\n"
	".type bare_call, %function\n"
	"bare_call:\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"	mov x29, x1\n"
	"	blr x0\n"
	"	ldp x29, x30, [sp], #32\n"
	"	ret\n"
	".size bare_call, .-bare_call\n");

/* stp x29, x30, [sp, #-32]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #32; ret */
static const uint32_t bare_framed[] = { 0xa9be7bfd, 0x910003fd, 0xd63f0000, 0xa8c27bfd, 0xd65f03c0 };
/* str x30, [sp, #-16]!; blr x0; ldr x30, [sp], #16; ret */
static const uint32_t bare_frameless[] = { 0xf81f0ffe, 0xd63f0000, 0xf84107fe, 0xd65f03c0 };

#endif
