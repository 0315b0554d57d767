/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seccomp filters, read through ptrace and run here. */
#include "inject/filter.h"

#include "base/alloc.h"
#include "inject/cpu.h"
#include "inject/state.h"
#include "inject/threads.h"
#include "inject/tracer.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#define GET_FILTER	0x420c		/* PTRACE_SECCOMP_GET_FILTER, from linux/ptrace.h */

#ifdef __x86_64__
#define ARCHITECTURE	AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE	AUDIT_ARCH_AARCH64
#endif

/* The machine that linux/filter.h describes, as far as seccomp allows it. */
struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	struct seccomp_data data;
};

static uint32_t compute(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return b ? a / b : 0;
	case BPF_OR: return a | b;
	case BPF_AND: return a & b;
	case BPF_LSH: return b < 32 ? a << b : 0;
	case BPF_RSH: return b < 32 ? a >> b : 0;
	case BPF_XOR: return a ^ b;
	case BPF_NEG: return -a;
	}
	return 0;
}

static bool holds(uint16_t code, uint32_t a, uint32_t b)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return a == b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JSET: return a & b;
	}
	return false;
}

static uint32_t load(const struct machine *m, const struct sock_filter *f)
{
	uint32_t value = 0;

	switch (BPF_MODE(f->code)) {
	case BPF_IMM: return f->k;
	case BPF_MEM: return f->k < BPF_MEMWORDS ? m->memory[f->k] : 0;
	case BPF_LEN: return sizeof(m->data);
	case BPF_ABS:
		if (f->k <= sizeof(m->data) - sizeof(value))
			memcpy(&value, (const char *)&m->data + f->k, sizeof(value));
	}
	return value;
}

/* All but jumps and the end. */
static void step(struct machine *m, const struct sock_filter *f)
{
	switch (BPF_CLASS(f->code)) {
	case BPF_LD: m->a = load(m, f); break;
	case BPF_LDX: m->x = load(m, f); break;
	case BPF_ST:
	case BPF_STX:
		if (f->k < BPF_MEMWORDS)
			m->memory[f->k] = BPF_CLASS(f->code) == BPF_ST ? m->a : m->x;
		break;
	case BPF_ALU: m->a = compute(f->code, m->a, BPF_SRC(f->code) == BPF_X ? m->x : f->k); break;
	case BPF_MISC:
		if (BPF_MISCOP(f->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
	}
}

/* Jumps lead forwards only, so there is an end. */
uint32_t filter_says(const struct sock_filter *filter, size_t length, long number)
{
	struct machine m = { .data = { .nr = (int)number, .arch = ARCHITECTURE } };

	for (size_t at = 0; at < length; at++) {
		const struct sock_filter *f = &filter[at];

		if (BPF_CLASS(f->code) == BPF_RET)
			return BPF_RVAL(f->code) == BPF_A ? m.a : f->k;
		if (BPF_CLASS(f->code) != BPF_JMP)
			step(&m, f);
		else if (BPF_OP(f->code) == BPF_JA)
			at += f->k;
		else
			at += holds(f->code, m.a, BPF_SRC(f->code) == BPF_X ? m.x : f->k) ? f->jt : f->jf;
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/* What comes before SECCOMP_RET_LOG does not make the call. */
static bool allows(const struct sock_filter *filter, size_t length, long number)
{
	uint32_t says = filter_says(filter, length, number) & SECCOMP_RET_ACTION_FULL;

	return says == SECCOMP_RET_ALLOW || says == SECCOMP_RET_LOG;
}

/* The strictest of all filters decides.  A sleep that was interrupted goes on by restart_syscall, unless that is
 * forbidden, or may be: then it starts anew. */
static int ask_filters(struct injection *i, void *argument)
{
	struct thread *t = argument;
	long length;
	int rc = 0;

	i->no_restart = true;
	for (unsigned long k = 0; (length = ptrace((enum __ptrace_request)GET_FILTER, t->tid, k, NULL)) > 0; k++) {
		struct sock_filter *filter = xcalloc((size_t)length, sizeof(*filter));

		if (ptrace((enum __ptrace_request)GET_FILTER, t->tid, k, filter) == length) {
			rc = allows(filter, (size_t)length, SYS_futex) ? rc : -ENOTSUP;
			i->no_restart = (k && i->no_restart) || !allows(filter, (size_t)length, SYS_restart_syscall);
		}
		free(filter);
	}
	if (t->blocked)
		cpu_interrupted(t);
	return rc;
}

int filter_look(struct injection *i, char reason[INJECTION_REASON])
{
	struct thread *t;
	int rc = threads_hold(i, 0, &t, reason);

	if (rc)
		return rc;
	rc = tracer_do(i, ask_filters, t);
	thread_release(t);
	if (rc)
		snprintf(reason, INJECTION_REASON, "its seccomp filter forbids futex, which the hook needs");
	return rc;
}
