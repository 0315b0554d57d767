/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of long f(long), each with an entry of another shape, in assembler. */
#ifndef TESTS_INJECT_PATCH_SHAPES_H
#define TESTS_INJECT_PATCH_SHAPES_H

/* name, what f(x) is, instructions */
#define SHAPES(X) \
	X(pushes, x + 1, "push %r12; push %rbp; push %rbx; lea 1(%rdi),%rax; pop %rbx; pop %rbp; pop %r12; ret") \
	X(endbr, x + 2, "endbr64; lea 2(%rdi),%rax; ret") \
	X(relative, x + 1234567, "mov shape_word(%rip),%rax; add %rdi,%rax; ret") \
	X(relative_immediate, x == 5 ? 1 : 0, "cmpb $0x87,shape_word(%rip); sete %al; cmp $5,%rdi; sete %cl; " \
		"and %cl,%al; movzbl %al,%eax; ret") \
	X(relative_lea, (long)&shape_word + x, "lea shape_word(%rip),%rax; add %rdi,%rax; ret") \
	X(relative_vector, x + 1234567, "vmovq shape_word(%rip),%xmm0; vmovq %xmm0,%rax; add %rdi,%rax; ret") \
	X(short_branch, x ? x + 3 : 99, "test %rdi,%rdi; je 1f; lea 3(%rdi),%rax; ret; 1: mov $99,%eax; ret") \
	X(long_branch, x ? x + 4 : 98, "test %rdi,%rdi; {disp32} je 1f; lea 4(%rdi),%rax; ret; 1: mov $98,%eax; ret") \
	X(thunk, x + 5, "{disp32} jmp shape_target") \
	X(short_thunk, x + 6, "jmp 1f; nop; nop; nop; 1: lea 6(%rdi),%rax; ret") \
	X(slot_thunk, x + 5, "jmp *shape_slot(%rip)") \
	X(register_thunk, x + 5, "mov shape_slot(%rip),%rax; jmp *%rax") \
	X(early_call, x + 5, "sub $8,%rsp; .cfi_adjust_cfa_offset 8; call shape_target; add $8,%rsp; ret") \
	X(only_call, x + 10, "push %rdi; {disp32} call *shape_slot(%rip); pop %rdi; add $5,%rax; ret") \
	X(own_call, x + 5, "sub $8,%rsp; nop; mov shape_slot(%rip),%rax; call *%rax; add $8,%rsp; ret") \
	X(tiny, x, "mov %rdi,%rax; ret; nop; nop; nop; nop; nop") \
	X(empty, 0, "xor %eax,%eax; ret; int3; int3; int3; int3; int3") \
	X(stack, x + 7, "push $7; pop %rax; push %rdi; add (%rsp),%rax; pop %rdi; ret") \
	X(recursive, x > 0 ? 1 : 0, "xor %eax,%eax; test %rdi,%rdi; jle 1f; push %rdi; xor %edi,%edi; " \
		"call shape_recursive; pop %rdi; inc %rax; 1: ret")

/* Must be refused: name, a word of the reason, instructions */
#define BAD_SHAPES(X) \
	X(call_at_once, "calls at once", "call *%rax; nop; nop; nop; nop; ret") \
	X(loop_to_entry, "branches back", "lea -1(%rdi),%rdi; test %rdi,%rdi; jne bad_loop_to_entry; ret") \
	X(loop_into_entry, "branches back", "xor %eax,%eax; 1: inc %rax; dec %rdi; jne 1b; ret") \
	X(loop_from_far, "branches back", "xor %eax,%eax; 1: inc %rax; dec %rdi; .fill 300,1,0x90; jne 1b; ret") \
	X(no_long_form, "no long form", "jrcxz 1f; nop; nop; 1: ret") \
	X(counted, "no long form", "nop; loop 1f; nop; 1: ret") \
	X(breakpoint, "breakpoint", "int3; mov %rdi,%rax; ret; nop; nop; nop") \
	X(hidden_breakpoint, "breakpoint", "nop; int3; mov %rdi,%rax; ret; nop; nop; nop") \
	X(too_short, "too short", "ret; push %rbp; push %rbp; push %rbp; push %rbp; ret") \
	X(no_code, "no code", ".byte 0x06,0x06,0x06,0x06,0x06,0x06") \
	X(transaction, "no long form", "xbegin 1f; 1: ret") \
	X(stack_call, "by the stack", "sub $8,%rsp; call *8(%rsp); ret")

#define SHAPE_BYTES	512		/* from one entry to the next */

#endif
