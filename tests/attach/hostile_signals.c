/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers under signals of which not one may be lost or come twice, and whose handlers run on top of
 * the allocator. */
#include "tests/attach/hostile.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { WAIT_US = 10000000 };	/* for a signal that was sent */

static unsigned spin_us[BOARD_WORKERS];

static void spin(unsigned us)
{
	for (uint64_t end = hostile_now_us() + us; hostile_now_us() < end;)
		;
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | SA_RESTART | flags;
	sigaction(signal, &action, NULL);
}

/* The signal carries the number of its worker and how many came before it. */
static void queued_handler(int signal, siginfo_t *info, void *context)
{
	uint64_t value = (uintptr_t)info->si_value.sival_ptr;
	unsigned number = (unsigned)(value >> 32);
	int saved_errno = errno;

	(void)signal, (void)context;
	if (info->si_code != SI_QUEUE || number >= BOARD_WORKERS) {
		hostile_wrong("a signal that nobody sent");
		return;
	}
	if ((uint32_t)value != (uint32_t)atomic_load(&board->received[number]))
		hostile_wrong("signal %u came when %lu had", (unsigned)value,
			(unsigned long)atomic_load(&board->received[number]));
	atomic_store(&board->received[number], (uint64_t)(uint32_t)value + 1);
	spin(spin_us[number]);
	errno = saved_errno;
}

static void queue_helper(struct worker *w)
{
	pid_t pid = getppid();
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_QUEUE;
	while (!hostile_stopped()) {
		uint64_t number = atomic_load(&board->sent[w->number]);
		uint32_t tid = atomic_load(&board->tid[w->number]);

		hostile_sleep_us(200);
		info.si_value.sival_ptr = (void *)((uintptr_t)w->number << 32 | (uint32_t)number);
		/* What waits may not grow: the program would be in handlers only. */
		if (tid == 0 || hostile_stopped() || number > atomic_load(&board->received[w->number]) + 2)
			continue;
		/* Counted before: the handler may be faster than the return. */
		atomic_store(&board->sent[w->number], number + 1);
		if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, SIGRTMIN + 3, &info) != 0)
			atomic_store(&board->sent[w->number], number);
	}
	atomic_store(&board->tid[w->number], 0);	/* that was all */
}

static void queued_setup(struct worker *w)
{
	handle(SIGRTMIN + 3, queued_handler, 0);
	spin_us[w->number] = w->argument ? (unsigned)atoi(w->argument) : 5;
	hostile_helper(queue_helper, w);
}

/* All that was sent comes, and no more; the helper has gone by then. */
static void wait_for_signals(struct worker *w)
{
	uint64_t end = hostile_now_us() + WAIT_US;

	while (hostile_now_us() < end && (atomic_load(&board->tid[w->number]) != 0 ||
			atomic_load(&board->received[w->number]) < atomic_load(&board->sent[w->number])))
		hostile_sleep_us(1000);
	hostile_sleep_us(10000);
	if (atomic_load(&board->received[w->number]) != atomic_load(&board->sent[w->number]))
		hostile_wrong("%lu signals came of %lu", (unsigned long)atomic_load(&board->received[w->number]),
			(unsigned long)atomic_load(&board->sent[w->number]));
}

static void signalled_work(struct worker *w)
{
	uint32_t seed = w->number + 1;

	atomic_store(&board->tid[w->number], (uint32_t)syscall(SYS_gettid));
	while (!hostile_stopped()) {
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
	wait_for_signals(w);
}

/* An ordinary signal to the process: the next is sent when one has come, so each counts. */
static _Atomic int acked_number;

static void acked_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	atomic_fetch_add(&board->received[acked_number], 1);
}

static void ack_helper(struct worker *w)
{
	pid_t pid = getppid();

	while (!hostile_stopped()) {
		uint64_t sent = atomic_fetch_add(&board->sent[w->number], 1) + 1, end = hostile_now_us() + WAIT_US;

		kill(pid, SIGUSR1);
		while (atomic_load(&board->received[w->number]) < sent && hostile_now_us() < end)
			hostile_sleep_us(50);
		if (atomic_load(&board->received[w->number]) != sent)
			break;
	}
	atomic_store(&board->tid[w->number], 0);
}

static void acked_setup(struct worker *w)
{
	acked_number = (int)w->number;
	handle(SIGUSR1, acked_handler, 0);
	atomic_store(&board->tid[w->number], 1);
	hostile_helper(ack_helper, w);
}

static void acked_work(struct worker *w)
{
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
	wait_for_signals(w);
}

/* A timer whose handler takes most of the time, on a stack of its own. */
static void timer_handler(int signal, siginfo_t *info, void *context)
{
	int saved_errno = errno;

	(void)signal, (void)info, (void)context;
	spin(200);
	errno = saved_errno;
}

static void timer_work(struct worker *w)
{
	struct itimerval every = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	stack_t stack = { .ss_size = 65536 }, none = { .ss_flags = SS_DISABLE };
	uint32_t seed = w->number + 1;

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	handle(SIGALRM, timer_handler, SA_ONSTACK);
	setitimer(ITIMER_REAL, &every, NULL);
	while (!hostile_stopped()) {
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	sigaltstack(&none, NULL);
	free(stack.ss_sp);
}

/* The signals of a debugger are the program's own here: each int3 is one. */
static __thread volatile uint64_t traps;

static void trap_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (info->si_code <= 0)
		hostile_wrong("SIGTRAP from process %d", (int)info->si_pid);
	traps++;
}

static void trap_work(struct worker *w)
{
	uint64_t want = 0;
	uint32_t seed = w->number + 1;

	handle(SIGTRAP, trap_handler, 0);
	while (!hostile_stopped()) {
		__asm__ volatile("int3" ::: "memory");
		if (traps != ++want) {
			hostile_wrong("%lu traps of %lu", (unsigned long)traps, (unsigned long)want);
			want = traps;
		}
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
}

/* A write barrier: a fault for each round, whose handler opens the page. */
static __thread char *volatile guarded;
static __thread volatile uint64_t faults;

static void fault_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if ((char *)info->si_addr != guarded)
		_exit(3);
	faults++;
	mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

static void fault_work(struct worker *w)
{
	uint64_t want = 0;
	uint32_t seed = w->number + 1;

	guarded = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGSEGV, fault_handler, 0);
	while (!hostile_stopped()) {
		mprotect(guarded, 4096, PROT_READ);
		*guarded = 1;
		if (faults != ++want) {
			hostile_wrong("%lu faults of %lu", (unsigned long)faults, (unsigned long)want);
			want = faults;
		}
		hostile_heap_round(&seed);
		hostile_progress(w);
	}
}

const struct worker_kind signal_workers[] = {
	{ "signalled", queued_setup, signalled_work, NULL },
	{ "acked", acked_setup, acked_work, NULL },
	{ "timer", NULL, timer_work, NULL },
	{ "trap", NULL, trap_work, NULL },
	{ "fault", NULL, fault_work, NULL },
	{ NULL, NULL, NULL, NULL },
};
