/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86-64: registers and interrupted system calls. */
#include "inject/cpu.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* The kernel's own codes, which a debugger sees: linux/errno.h. */
#define RESTARTSYS		512
#define RESTARTNOINTR		513
#define RESTARTNOHAND		514
#define RESTART_RESTARTBLOCK	516

bool cpu_supported(void)
{
	return true;
}

uint64_t cpu_pc(const struct user_regs_struct *r)
{
	return r->rip;
}

uint64_t cpu_sp(const struct user_regs_struct *r)
{
	return r->rsp;
}

uint64_t cpu_thread_pointer(const struct user_regs_struct *r)
{
	return r->fs_base;
}

void cpu_set_pc(struct user_regs_struct *r, uint64_t pc)
{
	r->rip = pc;
}

void cpu_dwarf_registers(const struct user_regs_struct *r, uint64_t registers[CPU_DWARF_REGISTERS])
{
	const uint64_t all[CPU_DWARF_REGISTERS] = {
		r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
		r->r9,	r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip,
	};

	memcpy(registers, all, sizeof(all));
}

bool cpu_is_sigreturn(const uint8_t code[CPU_SIGRETURN_SIZE])
{
	/* mov $15,%rax; syscall: libgcc knows it by these bytes too */
	return memcmp(code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", CPU_SIGRETURN_SIZE) == 0;
}

bool cpu_interrupted(struct thread *t)
{
	long result = (long)t->regs.rax, number = (long)t->regs.orig_rax;

	if (number < 0)
		return false;
	switch (-result) {
	case RESTARTSYS:
	case RESTARTNOINTR:
	case RESTARTNOHAND:
		return true;
	case RESTART_RESTARTBLOCK:
		if (!t->of->no_restart)
			return true;
		break;
	case EINTR:
		/* epoll_wait, sigtimedwait, semop ... say EINTR to any stop.  But a close that was interrupted has
		 * closed. */
		if (number != SYS_close)
			break;
		return false;
	default:
		return false;
	}
	/* This code lets the kernel decide as the thread goes on: with a handler to run it is EINTR, without the call is
	 * made again, by its own number. */
	t->regs.rax = (unsigned long long)-RESTARTNOHAND;
	ptrace(PTRACE_SETREGS, t->tid, 0, &t->regs);
	return true;
}
