/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that keep values in the red zone and in every register, and look at them all the time. */
#include "tests/attach/hostile.h"

/* A leaf function: the 128 bytes below the stack pointer are its own.  rsp is odd on purpose. */
extern long hostile_red_zone(const _Atomic uint32_t *stop, uint64_t rounds);
__asm__(".text\n"
	".globl hostile_red_zone\n"
	".type hostile_red_zone, @function\n"
	"hostile_red_zone:\n"
	"	mov $0x1122334455667788, %rax\n"
	"	mov $-128, %rcx\n"
	"1:	mov %rax, (%rsp,%rcx)\n"
	"	add $8, %rcx\n"
	"	jnz 1b\n"
	"	movq %rax, %xmm0\n	movq %rax, %xmm7\n	movq %rax, %xmm15\n"
	"	mov $77, %r8\n	mov $78, %r9\n	mov $79, %r10\n	mov $80, %r11\n"
	"	fldpi\n"
	"2:	mov $-128, %rcx\n"
	"3:	cmp %rax, (%rsp,%rcx)\n"
	"	jne 9f\n"
	"	add $8, %rcx\n"
	"	jnz 3b\n"
	"	movq %xmm0, %rdx\n	cmp %rax, %rdx\n	jne 9f\n"
	"	movq %xmm7, %rdx\n	cmp %rax, %rdx\n	jne 9f\n"
	"	movq %xmm15, %rdx\n	cmp %rax, %rdx\n	jne 9f\n"
	"	cmp $77, %r8\n	jne 9f\n	cmp $78, %r9\n	jne 9f\n"
	"	cmp $79, %r10\n	jne 9f\n	cmp $80, %r11\n	jne 9f\n"
	"	fldpi\n	fucomip %st(1), %st\n	jne 9f\n	jp 9f\n"
	"	std\n	pushf\n	pop %rdx\n	cld\n"	/* the direction flag, set for a moment: */
	"	mov %rax, -8(%rsp)\n"			/* (the push was in the red zone) */
	"	test $0x400, %edx\n	jz 9f\n"
	"	cmpl $0, (%rdi)\n	jne 8f\n"
	"	dec %rsi\n	jnz 2b\n"
	"8:	fstp %st(0)\n	xor %eax, %eax\n	ret\n"
	"9:	fstp %st(0)\n	mov $1, %eax\n	ret\n"
	".size hostile_red_zone, .-hostile_red_zone\n");

/* All of AVX-512: zmm0-31 from a pattern, k1-7, then compared until told to stop. */
extern long hostile_vectors(const unsigned char *pattern, unsigned char *back, const _Atomic uint32_t *stop,
	uint64_t rounds);
#define EACH(op) \
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15) \
	op(16) op(17) op(18) op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) op(29) \
	op(30) op(31)
#define LOAD(n) "	vmovdqu64 64*" #n "(%rdi), %zmm" #n "\n"
#define STORE(n) "	vmovdqu64 %zmm" #n ", 64*" #n "(%rsi)\n"
#define EACH_MASK(op) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define LOAD_MASK(n) "	kmovw 8*" #n "(%rdi), %k" #n "\n"
#define STORE_MASK(n) "	kmovw %k" #n ", 2048+8*" #n "(%rsi)\n"
__asm__(".text\n"
	".globl hostile_vectors\n"
	".type hostile_vectors, @function\n"
	"hostile_vectors:\n"
	EACH(LOAD) EACH_MASK(LOAD_MASK)
	"1:	cmpl $0, (%rdx)\n	jne 2f\n	pause\n	dec %rcx\n	jnz 1b\n"
	"2:\n"
	EACH(STORE) EACH_MASK(STORE_MASK)
	"	vzeroall\n	xor %eax, %eax\n	ret\n"
	".size hostile_vectors, .-hostile_vectors\n");

static void red_zone_work(struct worker *w)
{
	while (!hostile_stopped()) {
		if (hostile_red_zone(&board->stop, 20000) != 0)
			hostile_wrong("the red zone or a register changed");
		hostile_progress(w);
	}
}

static void vectors_work(struct worker *w)
{
	_Alignas(64) unsigned char pattern[2048], back[2048 + 64];

	for (unsigned i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)(i * 7 + i / 64);
	if (!__builtin_cpu_supports("avx512f")) {
		red_zone_work(w);
		return;
	}
	while (!hostile_stopped()) {
		hostile_vectors(pattern, back, &board->stop, 20000);
		for (unsigned i = 0; i < sizeof(pattern); i++)
			if (back[i] != pattern[i]) {
				hostile_wrong("zmm%u changed", i / 64);
				break;
			}
		for (unsigned k = 1; k < 8; k++)
			if (back[2048 + 8 * k] != pattern[8 * k] || back[2048 + 8 * k + 1] != pattern[8 * k + 1])
				hostile_wrong("k%u changed", k);
		hostile_progress(w);
	}
}

const struct worker_kind register_workers[] = {
	{ "red-zone", NULL, red_zone_work, NULL },
	{ "vectors", NULL, vectors_work, NULL },
	{ NULL, NULL, NULL, NULL },
};
