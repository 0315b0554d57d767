/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a patched function continues (trace/attach.h): the stub pushed the real function.
 *
 *	        stack at the entry          frame of the entry
 *	        | return address |          | return address |
 *	sp ->   | real           |   fp ->  | saved fp       |     a struct caller, as that of a wrapper
 *	                                    | rax, rcx ...   |
 *
 * Then at_NAME() is called with the six argument registers as they were, the real function and the
 * caller behind them.  All registers that a call may change are put back, since a caller in the
 * function's own unit may know that it leaves some alone (-fipa-ra); only the result is the function's.
 *
 *	ENTRY(type, name, parameters...) { ... body with `real` and `caller` ... }
 *	ENTRY_VOID(name, parameters...)
 *	ENTRY_WORDS(type, name, parameters...)	a result in two registers */
#ifndef HOOK_ENTRY_H
#define HOOK_ENTRY_H

#include <stdint.h>

#include "hook/caller.h"

#if !defined __x86_64__
#error "no entries for this CPU"
#endif

#define ENTRY_NTH(a, b, c, d, e, f, n, ...) n
#define ENTRY_PADS(...) ENTRY_NTH(__VA_ARGS__, ENTRY_PADS_0, ENTRY_PADS_1, ENTRY_PADS_2, ENTRY_PADS_3, \
				  ENTRY_PADS_4, ENTRY_PADS_5, 0)
#define ENTRY_PAD(n) __attribute__((unused)) uintptr_t unused_##n,
#define ENTRY_PADS_0
#define ENTRY_PADS_1 ENTRY_PAD(1)
#define ENTRY_PADS_2 ENTRY_PADS_1 ENTRY_PAD(2)
#define ENTRY_PADS_3 ENTRY_PADS_2 ENTRY_PAD(3)
#define ENTRY_PADS_4 ENTRY_PADS_3 ENTRY_PAD(4)
#define ENTRY_PADS_5 ENTRY_PADS_4 ENTRY_PAD(5)

#define ENTRY_CODE(name, result) \
__asm__(".pushsection .text." #name ",\"ax\",@progbits\n" \
	"	.balign 16\n" \
	"	.globl entry_" #name "\n" \
	"	.hidden entry_" #name "\n" \
	"	.type entry_" #name ",@function\n" \
	"entry_" #name ":\n" \
	"	.cfi_startproc\n" \
	"	.cfi_def_cfa_offset 16\n" \
	"	push	%rax\n" \
	"	.cfi_def_cfa_offset 24\n" \
	"	mov	8(%rsp), %rax\n" \
	"	mov	%rbp, 8(%rsp)\n" \
	"	.cfi_offset %rbp, -16\n" \
	"	lea	8(%rsp), %rbp\n" \
	"	.cfi_def_cfa %rbp, 16\n" \
	"	push	%rcx\n" \
	"	push	%rdx\n" \
	"	push	%rsi\n" \
	"	push	%rdi\n" \
	"	push	%r8\n" \
	"	push	%r9\n" \
	"	push	%r10\n" \
	"	push	%r11\n" \
	"	push	%rax\n"		/* keeps the stack aligned */ \
	"	push	%rbp\n" \
	"	push	%rax\n" \
	"	call	at_" #name "\n" \
	"	add	$24, %rsp\n" \
	"	pop	%r11\n" \
	"	pop	%r10\n" \
	"	pop	%r9\n" \
	"	pop	%r8\n" \
	"	pop	%rdi\n" \
	"	pop	%rsi\n" \
	result \
	"	pop	%rbp\n" \
	"	.cfi_def_cfa %rsp, 8\n" \
	"	ret\n" \
	"	.cfi_endproc\n" \
	"	.size entry_" #name ", . - entry_" #name "\n" \
	"	.popsection\n");

#define ENTRY_KEEP_NONE \
	"	pop	%rdx\n" \
	"	pop	%rcx\n" \
	"	pop	%rax\n"
#define ENTRY_KEEP_RAX \
	"	pop	%rdx\n" \
	"	pop	%rcx\n" \
	"	add	$8, %rsp\n"
#define ENTRY_KEEP_BOTH \
	"	add	$8, %rsp\n" \
	"	pop	%rcx\n" \
	"	add	$8, %rsp\n"

#define ENTRY_FUNCTION(type, name, pads, ...) \
type at_##name(__VA_ARGS__, pads void *real, struct caller caller) \
	__attribute__((visibility("hidden"), used)); \
type at_##name(__VA_ARGS__, pads void *real, struct caller caller)

#define ENTRY(type, name, ...) \
	ENTRY_CODE(name, ENTRY_KEEP_RAX) \
	ENTRY_FUNCTION(type, name, ENTRY_PADS(__VA_ARGS__), __VA_ARGS__)
#define ENTRY_VOID(name, ...) \
	ENTRY_CODE(name, ENTRY_KEEP_NONE) \
	ENTRY_FUNCTION(void, name, ENTRY_PADS(__VA_ARGS__), __VA_ARGS__)
#define ENTRY_WORDS(type, name, ...) \
	ENTRY_CODE(name, ENTRY_KEEP_BOTH) \
	ENTRY_FUNCTION(type, name, ENTRY_PADS(__VA_ARGS__), __VA_ARGS__)

#endif
