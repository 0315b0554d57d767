/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of held threads, and restartable sequences. */
#include "inject/registers.h"

#include "inject/cpu.h"
#include "inject/memory.h"
#include "inject/tracer.h"

#include <errno.h>
#include <sys/ptrace.h>

/* From linux/ptrace.h, which does not go together with sys/ptrace.h; and linux/rseq.h. */
#define GET_RSEQ_CONFIGURATION	0x420f

struct rseq_configuration {
	uint64_t abi;
	uint32_t size, signature, flags, pad;
};

struct rseq_section {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

uint64_t thread_pc(const struct thread *t)
{
	return cpu_pc(&t->regs);
}

uint64_t thread_sp(const struct thread *t)
{
	return cpu_sp(&t->regs);
}

uint64_t thread_pointer(const struct thread *t)
{
	return cpu_thread_pointer(&t->regs);
}

static int set_registers(struct injection *i, void *argument)
{
	struct thread *t = argument;

	(void)i;
	return ptrace(PTRACE_SETREGS, t->tid, 0, &t->regs) == 0 ? 0 : -errno;
}

int thread_set_registers(struct thread *t, const struct user_regs_struct *regs)
{
	if (t->state != THREAD_STOPPED || t->executed)
		return -ESRCH;
	t->regs = *regs;
	return tracer_do(t->of, set_registers, t);
}

int thread_set_pc(struct thread *t, uint64_t pc)
{
	struct user_regs_struct regs = t->regs;

	cpu_set_pc(&regs, pc);
	return thread_set_registers(t, &regs);
}

static int ask_rseq(struct injection *i, void *argument)
{
	struct thread *t = argument;
	struct rseq_configuration c = { 0 };
	struct rseq_section section;
	uint64_t current = 0, pc = cpu_pc(&t->regs);

	if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, t->tid, sizeof(c), &c) < 0 || !c.abi)
		return 0;
	/* struct rseq: cpu_id_start, cpu_id, then the address of the section. */
	if (memory_read(i, c.abi + 8, &current, sizeof(current)) || !current ||
	    memory_read(i, current, &section, sizeof(section)))
		return 0;
	return pc - section.start < section.length;
}

bool thread_in_rseq(struct thread *t)
{
	return tracer_do(t->of, ask_rseq, t) == 1;
}
