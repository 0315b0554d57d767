/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a remote call: state kept, registers set, stops sorted, state put back. */
#include "inject/call.h"

#include "base/alloc.h"
#include "inject/cave.h"
#include "inject/cpu.h"
#include "inject/memory.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(signal)	(1ull << ((signal) - 1))
/* If one of these comes from the code itself while it is blocked, the kernel ends the program. */
#define NEVER_BLOCKED	(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS))
#define PENDING	16u	/* signals that are looked at */

static int get_mask(const struct thread *t, uint64_t *mask)
{
	return ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(*mask), mask) == 0 ? 0 : -errno;
}

static int set_mask(const struct thread *t, uint64_t mask)
{
	return ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(mask), &mask) == 0 ? 0 : -errno;
}

static int set_registers(struct thread *t, const struct user_regs_struct *regs)
{
	return ptrace(PTRACE_SETREGS, t->tid, 0, regs) == 0 ? 0 : -errno;
}

static uint64_t frame_place(const struct injection *i)
{
	return i->scratch.base + SCRATCH_SIZE - CPU_FRAME_SIZE;
}

/* What stands ready in the target before the thread is sent there. */
static int write_code(struct thread *t)
{
	uint8_t code[CAVE_SIZE], *frame;
	int rc;

	cpu_cave(code, &t->saved);
	rc = cave_write(t->of, code);
	if (rc || t->call.kind == CALL_EARLY)
		return rc;
	frame = xmalloc(CPU_FRAME_SIZE);
	cpu_frame(frame, frame_place(t->of), &t->saved);
	rc = memory_write(t->of, frame_place(t->of), frame, CPU_FRAME_SIZE);
	free(frame);
	return rc;
}

/* Only an early call has no place to say that it is over. */
static int request_for(const struct thread *t)
{
	return t->call.kind == CALL_EARLY ? PTRACE_SYSCALL : PTRACE_CONT;
}

/* Whether the thread's own last instruction made a signal that it has not taken yet: a fault, a trap. */
static bool owes_signal(const struct thread *t)
{
	struct __ptrace_peeksiginfo_args first = { .off = 0, .flags = 0, .nr = PENDING };
	siginfo_t pending[PENDING];
	uint64_t mask = 0;
	long count = ptrace(PTRACE_PEEKSIGINFO, t->tid, &first, pending);

	get_mask(t, &mask);
	for (long k = 0; k < count; k++)
		if (pending[k].si_signo <= 64 && BIT(pending[k].si_signo) & NEVER_BLOCKED & ~mask)
			return true;
	return false;
}

/* Such a one comes before anything of ours, where it belongs: in a call it would look like a crash of the
 * called code. */
static int take_owed(struct thread *t)
{
	struct patience p;
	int rc = 0;

	patience_start(&p, t->of->stop_ms);
	while (rc == 0 && owes_signal(t)) {
		rc = stop_continue(t, PTRACE_CONT);
		rc = rc ? rc : stop_wait(t, &p);
		rc = rc ? rc : stop_plain(t, &p);
	}
	return rc;
}

int call_start(struct thread *t)
{
	struct user_regs_struct regs;
	int rc;

	if (!stop_is_plain(t))
		return -ESRCH;
	rc = take_owed(t);
	if (rc)
		return rc;
	regs = t->regs;
	t->call.entered = t->call.asked = false;
	t->call.signal = 0;
	t->saved.regs = t->regs;
	rc = get_mask(t, &t->saved.mask);
	rc = rc ? rc : cpu_save_extended(t);
	rc = rc ? rc : write_code(t);
	if (rc)
		return rc;
	cpu_begin(&regs, &t->call, t->of->cave.address, frame_place(t->of));
	rc = set_mask(t, ~NEVER_BLOCKED | t->saved.mask);
	if (rc)
		return rc;
	rc = set_registers(t, &regs);
	if (rc == 0)
		return stop_continue(t, request_for(t));
	set_mask(t, t->saved.mask);
	return rc;
}

/* From the call's last stop to a plain one, with all as it was.  In between the thread could go on alone
 * at any time: the healed registers need no help of the kernel, those of an interrupted
 * system call are only understood at the plain stop. */
static int put_back(struct thread *t)
{
	struct user_regs_struct healed = cpu_healed(&t->saved.regs);
	bool blocked = t->blocked;
	struct patience p;
	int rc;

	/* It waited long for us, and went home. */
	if (t->call.kind != CALL_EARLY && stop_is_plain(t) && !cave_holds(t))
		return 0;
	rc = t->call.kind == CALL_FUNCTION ? cpu_restore_extended(t) : 0;
	rc = rc ? rc : set_mask(t, t->saved.mask);
	rc = rc ? rc : set_registers(t, &healed);
	patience_start(&p, t->of->stop_ms);
	rc = rc ? rc : stop_plain(t, &p);
	if (rc)
		return rc;
	t->regs = t->saved.regs;
	t->blocked = blocked;
	rc = set_registers(t, &t->regs);
	if (t->call.signal)
		syscall(SYS_tgkill, t->of->pid, t->tid, t->call.signal);
	return rc;
}

/* A signal that could not wait: a crash of the called code (1), or one sent by somebody, which is sent on
 * when the call is over. */
static bool crashed(struct thread *t)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info) == 0 && info.si_code <= 0) {
		t->call.signal = t->signal;
		t->signal = 0;
		return false;
	}
	t->signal = 0;
	return true;
}

/* Whether the thread has stored its result, and waits for us. */
static bool is_done(const struct thread *t)
{
	uint32_t done = 0;

	return t->call.kind != CALL_EARLY &&
	       memory_read(t->of, frame_place(t->of) + CPU_FRAME_DONE, &done, sizeof(done)) == 0 && done == 1;
}

/* Whether this stop is the end of the call, or why it is over without. */
static int sort_stop(struct thread *t, bool *ended)
{
	*ended = false;
	if (t->executed)
		return -EINTR;
	if (t->signal)
		return crashed(t) ? -EFAULT : 0;
	if (t->call.kind != CALL_EARLY) {
		*ended = stop_is_plain(t) && is_done(t);
		return *ended ? memory_read(t->of, frame_place(t->of) + CPU_FRAME_RESULT, &t->call.result,
					    sizeof(t->call.result)) : 0;
	}
	if (!stop_is_syscall(t))
		return 0;
	*ended = t->call.entered;
	t->call.entered = true;
	t->call.result = (uint64_t)cpu_system_result(&t->regs);
	return 0;
}

static int await(struct thread *t, struct patience *p)
{
	while (!stop_look(t)) {
		if (!t->call.asked && is_done(t)) {
			t->call.asked = true;
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
		}
		if (!patience_wait(p))
			return stop_wait(t, p);
	}
	return t->state == THREAD_GONE ? -ESRCH : 0;
}

int call_finish(struct thread *t, int deadline_ms)
{
	struct patience p;
	bool ended = false;
	int rc, back;

	patience_start(&p, deadline_ms);
	do {
		rc = await(t, &p);
		if (rc)
			return rc;
		rc = sort_stop(t, &ended);
		if (rc == 0 && !ended) {
			rc = stop_continue(t, request_for(t));
			if (rc)
				return rc;
		}
	} while (rc == 0 && !ended);
	if (rc == -EINTR)
		return rc;
	back = put_back(t);
	return back ? back : rc;
}
