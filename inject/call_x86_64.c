/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: the code a hijacked thread runs, and its ways back.
 *
 * The cave, by offset:
 *
 *	  0 FUNCTION	call *%rax; jmp BACK
 *	  4 SYSTEM	a loop of system calls, from a table; then BACK
 *	 48 BACK	tells the result and sleeps a while, for the tracer to take over; then rt_sigreturn
 *	112 EARLY	one system call, at whose end the tracer takes over; then all is put back by immediate values
 *	288 RETURN	a harmless system call, at whose entry the tracer takes over; jmp onwards
 *
 * BACK finds a signal frame at the stack pointer, made by us: the kernel itself puts everything
 * back if the tracer is gone by then.
 */
#include "inject/cpu.h"

#include "base/alloc.h"
#include "inject/memory.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>

enum { AT_FUNCTION = 0, AT_SYSTEM = 4, AT_BACK = 48, AT_EARLY = 112, AT_RETURN = 288 };
enum { RETURN_SEEN = AT_RETURN + 11 };

#define RED_ZONE	128
#define EARLY_BELOW	(RED_ZONE + 8)	/* the stack pointer while EARLY runs, below the thread's */

/* Within the frame: how long the end of a call waits for the tracer. */
#define FRAME_TIMEOUT	528
#define TIMEOUT_NS	200000000l

#define TRAP_FLAG	0x100ull
#define DIRECTION_FLAG	0x400ull

/* asm/sigcontext.h */
#define XSTATE_MAGIC1	0x46505853u
#define XSTATE_MAGIC2	0x46505845u
#define UC_FP_XSTATE	0x1ul
#define UC_STRICT_SS	0x6ul		/* UC_SIGCONTEXT_SS and UC_STRICT_RESTORE_SS */
#define FXSAVE_SIZE	512u
#define XSTATE_MAX	16384u
#define XSTATE_TILES	(1ull << 18)	/* AMX: only there for who asked for it */

struct extended_bytes {
	uint32_t magic1, extended_size;
	uint64_t features;
	uint32_t size, padding[7];
};

struct user_regs_struct cpu_healed(const struct user_regs_struct *regs)
{
	struct user_regs_struct r = *regs;

	if ((long)r.orig_rax >= 0 && (long)r.rax <= -512 && (long)r.rax >= -516) {
		r.rax = r.orig_rax;
		r.rip -= 2;
	}
	r.orig_rax = (unsigned long long)-1;
	return r;
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

#define CODE(at, ...)	put(at, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* An instruction of which the last four bytes are the distance to `to`. */
static uint8_t *put_relative(uint8_t *at, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (at + 4));

	return put(at, &distance, 4);
}

static uint8_t *put_load(uint8_t *at, uint8_t rex, uint8_t opcode, uint64_t value)
{
	at = CODE(at, rex, opcode);
	return put(at, &value, 8);
}

/* Sets the signal mask, the flags and every register that a system call's caller loses. */
static void put_early(uint8_t *at, const struct call_saved *saved)
{
	struct user_regs_struct r = cpu_healed(&saved->regs);
	uint8_t *data = at + 144, *flags = data, *mask = data + 8, *target = data + 16;

	put(flags, &r.eflags, 8);
	put(mask, &saved->mask, 8);
	put(target, &r.rip, 8);
	at = CODE(at, 0x0f, 0x05);				/* syscall */
	at = CODE(at, 0xb8, SYS_rt_sigprocmask, 0, 0, 0);	/* mov $14,%eax */
	at = CODE(at, 0xbf, 2, 0, 0, 0);			/* mov $SIG_SETMASK,%edi */
	at = put_relative(CODE(at, 0x48, 0x8d, 0x35), mask);	/* lea mask(%rip),%rsi */
	at = CODE(at, 0x31, 0xd2);				/* xor %edx,%edx */
	at = CODE(at, 0x41, 0xba, 8, 0, 0, 0);			/* mov $8,%r10d */
	at = CODE(at, 0x0f, 0x05);
	at = put_relative(CODE(at, 0xff, 0x35), flags);		/* push flags(%rip) */
	at = CODE(at, 0x9d);					/* popfq */
	at = put_load(at, 0x48, 0xb8, r.rax);
	at = put_load(at, 0x48, 0xb9, r.rcx);
	at = put_load(at, 0x48, 0xba, r.rdx);
	at = put_load(at, 0x48, 0xbe, r.rsi);
	at = put_load(at, 0x48, 0xbf, r.rdi);
	at = put_load(at, 0x49, 0xb8, r.r8);
	at = put_load(at, 0x49, 0xb9, r.r9);
	at = put_load(at, 0x49, 0xba, r.r10);
	at = put_load(at, 0x49, 0xbb, r.r11);
	at = CODE(at, 0x48, 0x8d, 0xa4, 0x24, EARLY_BELOW, 0, 0, 0); /* lea 136(%rsp),%rsp */
	put_relative(CODE(at, 0xff, 0x25), target);		/* jmp *target(%rip) */
}

void cpu_cave(uint8_t code[CAVE_SIZE], const struct call_saved *saved)
{
	uint8_t *at;

	memset(code, 0x90, CAVE_SIZE);
	CODE(code + AT_FUNCTION, 0xff, 0xd0, 0xeb, AT_BACK - AT_FUNCTION - 4); /* call *%rax; jmp BACK */
	CODE(code + AT_SYSTEM, 0x4c, 0x39, 0xe3,	/* cmp %r12,%rbx */
	     0x73, AT_BACK - AT_SYSTEM - 5,		/* jae BACK */
	     0x48, 0x8b, 0x03,				/* mov (%rbx),%rax */
	     0x48, 0x8b, 0x7b, 0x08, 0x48, 0x8b, 0x73, 0x10, 0x48, 0x8b, 0x53, 0x18, /* %rdi, %rsi, %rdx */
	     0x4c, 0x8b, 0x53, 0x20, 0x4c, 0x8b, 0x43, 0x28, 0x4c, 0x8b, 0x4b, 0x30, /* %r10, %r8, %r9 */
	     0x0f, 0x05,				/* syscall */
	     0x48, 0x89, 0x43, 0x38,			/* mov %rax,56(%rbx) */
	     0x48, 0x83, 0xc3, 0x40,			/* add $64,%rbx */
	     0xeb, (uint8_t)-44);			/* jmp SYSTEM */
	at = CODE(code + AT_BACK, 0x48, 0x89, 0x84, 0x24, CPU_FRAME_RESULT & 0xff, CPU_FRAME_RESULT >> 8, 0, 0); /* mov %rax,result(%rsp) */
	at = CODE(at, 0xc7, 0x84, 0x24, CPU_FRAME_DONE & 0xff, CPU_FRAME_DONE >> 8, 0, 0, 1, 0, 0, 0); /* movl $1,done(%rsp) */
	at = CODE(at, 0x48, 0x8d, 0x94, 0x24, FRAME_TIMEOUT & 0xff, FRAME_TIMEOUT >> 8, 0, 0); /* lea timeout(%rsp),%rdx */
	at = CODE(at, 0x31, 0xff, 0x31, 0xf6, 0x45, 0x31, 0xd2); /* xor %edi,%edi; xor %esi,%esi; xor %r10d,%r10d */
	/* Not a call that the kernel would keep restart data for: there is room for one, and that is the thread's
	 * own, should it have been in nanosleep, poll or a futex. */
	at = CODE(at, 0xb8, SYS_ppoll & 0xff, SYS_ppoll >> 8, 0, 0, 0x0f, 0x05);
	CODE(at, 0xb8, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05, 0x0f, 0x0b);
	put_early(code + AT_EARLY, saved);
}

void cpu_cave_return(uint8_t code[CAVE_SIZE], uint64_t onwards)
{
	uint8_t *at = code + AT_RETURN;

	memset(code, 0x90, CAVE_SIZE);
	/* Below the stack pointer nothing is alive just behind a return. */
	at = CODE(at, 0x50, 0x51, 0x41, 0x53,			/* push %rax, %rcx, %r11 */
		  0xb8, SYS_getpid, 0, 0, 0, 0x0f, 0x05,	/* mov $39,%eax; syscall */
		  0x41, 0x5b, 0x59, 0x58,			/* pop %r11, %rcx, %rax */
		  0xff, 0x25, 0, 0, 0, 0);			/* jmp *0(%rip) */
	put(at, &onwards, 8);
}

bool cpu_is_cave(const uint8_t code[CAVE_SIZE])
{
	static const uint8_t function[] = { 0xff, 0xd0, 0xeb, AT_BACK - AT_FUNCTION - 4, 0x4c, 0x39, 0xe3, 0x73 };
	static const uint8_t back[] = { 0x90, 0x90, 0x90, 0x90, 0x50, 0x51, 0x41, 0x53, 0xb8, SYS_getpid };

	return memcmp(code + AT_FUNCTION, function, sizeof(function)) == 0 ||
		memcmp(code + AT_RETURN - 4, back, sizeof(back)) == 0;
}

uint64_t cpu_return_into(uint64_t cave)
{
	return cave + AT_RETURN;
}

int cpu_returned(struct thread *t, uint64_t cave, uint64_t onwards, bool *returned)
{
	uint64_t pushed[3];
	int rc;

	*returned = t->regs.rip == cave + RETURN_SEEN && t->regs.orig_rax == SYS_getpid;
	if (!*returned)
		return 0;
	rc = memory_read(t->of, t->regs.rsp, pushed, sizeof(pushed));
	if (rc)
		return rc;
	t->regs.r11 = pushed[0];
	t->regs.rcx = pushed[1];
	t->regs.rax = pushed[2];
	t->regs.rsp += sizeof(pushed);
	t->regs.rip = onwards;
	t->regs.orig_rax = (unsigned long long)-1;
	return ptrace(PTRACE_SETREGS, t->tid, 0, &t->regs) == 0 ? 0 : -errno;
}

void cpu_begin(struct user_regs_struct *r, const struct call *call, uint64_t cave, uint64_t place)
{
	const uint64_t *a = call->arguments;

	r->orig_rax = (unsigned long long)-1;
	r->eflags &= ~(TRAP_FLAG | DIRECTION_FLAG);
	r->rax = call->target;
	r->rdi = a[0];
	r->rsi = a[1];
	r->rdx = a[2];
	r->r8 = a[4];
	r->r9 = a[5];
	r->r10 = a[3];
	switch (call->kind) {
	case CALL_EARLY:
		r->rip = cave + AT_EARLY;
		r->rsp -= EARLY_BELOW;
		return;
	case CALL_SYSTEM:
		r->rip = cave + AT_SYSTEM;
		r->rbx = call->arguments[0];
		r->r12 = call->arguments[1];
		break;
	case CALL_FUNCTION:
		r->rip = cave + AT_FUNCTION;
		r->rcx = a[3];
		break;
	}
	r->rsp = place;			/* the signal context is there, the call's frames are below */
}

/* Bytes of the standard form of XSAVE that hold these features. */
static uint32_t extended_size(uint64_t features)
{
	uint32_t size, offset, c, d, end = FXSAVE_SIZE + 64;

	for (unsigned k = 2; k < 63; k++)
		if ((features >> k & 1) && __get_cpuid_count(0xd, k, &size, &offset, &c, &d) && offset + size > end)
			end = offset + size;
	return end;
}

/* Extended registers in the form that rt_sigreturn takes them. */
static void put_extended(uint8_t *at, const struct call_saved *saved)
{
	uint8_t *image = saved->xstate;
	struct extended_bytes bytes = { .magic1 = XSTATE_MAGIC1 };
	const uint32_t magic2 = XSTATE_MAGIC2;
	uint64_t present;

	memcpy(at, image, saved->xstate_size);
	memcpy(&bytes.features, image + 464, sizeof(bytes.features));
	memcpy(&present, image + FXSAVE_SIZE, sizeof(present));
	/* The kernel takes nothing that is larger than what this thread may use. */
	bytes.size = extended_size(bytes.features & ~(XSTATE_TILES & ~present));
	bytes.extended_size = bytes.size + 4;
	put(at + 464, &bytes, sizeof(bytes));
	put(at + bytes.size, &magic2, sizeof(magic2));
}

void cpu_frame(uint8_t frame[CPU_FRAME_SIZE], uint64_t place, const struct call_saved *saved)
{
	struct user_regs_struct r = cpu_healed(&saved->regs);
	const struct timespec timeout = { 0, TIMEOUT_NS };
	const uint64_t extended = 1024;
	ucontext_t uc;
	greg_t *g = uc.uc_mcontext.gregs;

	_Static_assert(offsetof(ucontext_t, uc_sigmask) == 296, "the kernel's struct ucontext begins as libc's does");
	_Static_assert(1024 + XSTATE_MAX + 64 <= CPU_FRAME_SIZE, "there is room");
	memset(&uc, 0, sizeof(uc));
	uc.uc_flags = UC_STRICT_SS | (saved->xstate_size > FXSAVE_SIZE ? UC_FP_XSTATE : 0);
	uc.uc_stack.ss_flags = 0x4242;	/* not valid, so that the alternate stack stays what it is */
	g[REG_R8] = (greg_t)r.r8, g[REG_R9] = (greg_t)r.r9, g[REG_R10] = (greg_t)r.r10, g[REG_R11] = (greg_t)r.r11;
	g[REG_R12] = (greg_t)r.r12, g[REG_R13] = (greg_t)r.r13, g[REG_R14] = (greg_t)r.r14, g[REG_R15] = (greg_t)r.r15;
	g[REG_RDI] = (greg_t)r.rdi, g[REG_RSI] = (greg_t)r.rsi, g[REG_RBP] = (greg_t)r.rbp, g[REG_RBX] = (greg_t)r.rbx;
	g[REG_RDX] = (greg_t)r.rdx, g[REG_RAX] = (greg_t)r.rax, g[REG_RCX] = (greg_t)r.rcx, g[REG_RSP] = (greg_t)r.rsp;
	g[REG_RIP] = (greg_t)r.rip, g[REG_EFL] = (greg_t)r.eflags;
	g[REG_CSGSFS] = (greg_t)((r.cs & 0xffff) | (r.gs & 0xffff) << 16 | (r.fs & 0xffff) << 32 | (r.ss & 0xffff) << 48);
	memcpy(&uc.uc_sigmask, &saved->mask, sizeof(saved->mask));
	memset(frame, 0, CPU_FRAME_SIZE);
	memcpy(frame + FRAME_TIMEOUT, &timeout, sizeof(timeout));
	if (saved->xstate_size) {
		put_extended(frame + extended, saved);
		uc.uc_mcontext.fpregs = (void *)(uintptr_t)(place + extended);
	}
	memcpy(frame, &uc, offsetof(ucontext_t, uc_sigmask) + sizeof(saved->mask));
}

int64_t cpu_system_result(const struct user_regs_struct *r)
{
	return (int64_t)r->rax;
}

int cpu_save_extended(struct thread *t)
{
	struct iovec io;

	if (!t->saved.xstate)
		t->saved.xstate = xmalloc(XSTATE_MAX);
	io = (struct iovec){ t->saved.xstate, XSTATE_MAX };
	if (ptrace(PTRACE_GETREGSET, t->tid, NT_X86_XSTATE, &io) != 0)
		return -errno;
	/* All of the buffer used: there may be more. */
	if (io.iov_len >= XSTATE_MAX || io.iov_len < FXSAVE_SIZE + 64)
		return -E2BIG;
	t->saved.xstate_size = io.iov_len;
	return 0;
}

int cpu_restore_extended(struct thread *t)
{
	struct iovec io = { t->saved.xstate, t->saved.xstate_size };

	return ptrace(PTRACE_SETREGSET, t->tid, NT_X86_XSTATE, &io) == 0 ? 0 : -errno;
}
