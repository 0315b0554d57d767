/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Workers that make processes, and the states that a whole process can be in. */
#include "tests/attach/hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's status is 7, or what is wrong shows. */
static void reap(pid_t child, const char *what)
{
	int status = 0;

	if (child < 0) {
		hostile_wrong("%s: cannot make a process", what);
		return;
	}
	while (waitpid(child, &status, 0) != child)
		if (errno == EINTR)
			atomic_fetch_add(&board->interrupted, 1);
		else
			break;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
		hostile_wrong("%s: the child's status is %#x", what, status);
}

static void fork_work(struct worker *w)
{
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		pid_t child = fork();

		if (child == 0) {
			for (int i = 0; i < 20; i++)
				hostile_heap_round(&seed);
			_exit(atomic_load(&board->wrong) ? 1 : 7);
		}
		hostile_heap_round(&seed);
		reap(child, "fork");
		hostile_progress(w);
	}
}

static void spawn_work(struct worker *w)
{
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		pid_t child = fork();

		if (child == 0) {
			hostile_heap_round(&seed);
			execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
			_exit(1);
		}
		hostile_heap_round(&seed);
		reap(child, "exec");
		hostile_progress(w);
	}
}

/* The argument is how many milliseconds the child keeps its parent waiting. */
static void vfork_work(struct worker *w)
{
	unsigned us = w->argument ? (unsigned)atoi(w->argument) * 1000 : 3000;
	uint32_t seed = w->number + 1;

	while (!hostile_stopped()) {
		pid_t child = vfork();

		if (child == 0) {
			hostile_sleep_us(us);
			_exit(7);
		}
		hostile_heap_round(&seed);
		reap(child, "vfork");
		hostile_progress(w);
	}
}

/* The program executes itself over and over; only with -1. */
static void exec_work(struct worker *w)
{
	uint32_t seed = w->number + 1;

	for (int i = 0; i < 200; i++)
		hostile_heap_round(&seed);
	hostile_progress(w);
	if (!hostile_stopped()) {
		execv("/proc/self/exe", hostile_argv);
		hostile_wrong("exec: errno %d", errno);
	}
}

const struct worker_kind process_workers[] = {
	{ "fork", NULL, fork_work, NULL },
	{ "spawn", NULL, spawn_work, NULL },
	{ "vfork", NULL, vfork_work, NULL },
	{ "exec", NULL, exec_work, NULL },
	{ NULL, NULL, NULL, NULL },
};

static void set_small(void)
{
	hostile_stack = 16384;
}

static void set_gone(void)
{
	hostile_main_leaves = true;
}

static void set_not_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
}

static void set_user(void)
{
	if (syscall(SYS_setresgid, 65534, 65534, 65534) != 0 || syscall(SYS_setresuid, 65534, 65534, 65534) != 0)
		exit(2);
}

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static void set_mdwe(void)
{
	if (prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0)
		exit(77);
}

/* Nobody told this program that there are signals of a debugger. */
static void set_trap_ignored(void)
{
	sigset_t trap;

	signal(SIGTRAP, SIG_IGN);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
}

/* What the heap workers need, and not one call more: the process dies of any other.  Only openat
 * fails, since glibc looks into /proc when it gives memory back. */
static void set_seccomp(void)
{
	static const int allowed[] = {
		SYS_read, SYS_write, SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_futex,
		SYS_clone, SYS_clone3, SYS_set_robust_list, SYS_rseq, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_exit,
		SYS_exit_group, SYS_nanosleep, SYS_clock_nanosleep, SYS_newfstatat, SYS_fstat,
		SYS_clock_gettime, SYS_writev, SYS_rt_sigaction, SYS_ioctl, SYS_set_tid_address, SYS_sched_yield,
		SYS_membarrier,
	};
	enum { COUNT = sizeof(allowed) / sizeof(allowed[0]) };
	struct sock_filter filter[COUNT + 5];
	struct sock_fprog program = { COUNT + 5, filter };

	filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	filter[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1);
	filter[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	for (unsigned i = 0; i < COUNT; i++)
		filter[3 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i],
			(unsigned char)(COUNT - i), 0);
	filter[COUNT + 3] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	filter[COUNT + 4] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(77);
}

static void set_locked(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		exit(77);
}

const struct setup_kind setups[] = {
	{ "locked", set_locked },
	{ "small", set_small },
	{ "gone", set_gone },
	{ "not-dumpable", set_not_dumpable },
	{ "other-user", set_user },
	{ "mdwe", set_mdwe },
	{ "trap-ignored", set_trap_ignored },
	{ "seccomp", set_seccomp },
	{ NULL, NULL },
};
