/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All threads stop and go on, whatever they are at; and what cannot be entered is refused with the reason. */
#include "tests/inject/hold_fixture.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#define MANY	500

static void *nap_thread(void *argument)
{
	(void)argument;
	atomic_fetch_add(&shared->more, 1);
	while (!atomic_load(&shared->stop)) {
		nap_ms(5);
		atomic_fetch_add(&shared->progress, 1);
	}
	return NULL;
}

/* With stacks of 16 KiB. */
static int many_target(void)
{
	static pthread_t ids[MANY];
	pthread_attr_t attributes;
	int made = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	while (made < MANY && pthread_create(&ids[made], &attributes, nap_thread, NULL) == 0)
		made++;
	while (atomic_load(&shared->more) < made)
		nap_ms(1);
	atomic_store(&shared->value, made + 1);
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		nap_ms(5);
	for (int k = 0; k < made; k++)
		pthread_join(ids[k], NULL);
	return 0;
}

static long double_it(long argument)
{
	volatile char stack[60000];

	memset((void *)stack, 1, sizeof(stack));
	return 2 * argument;
}

static int count_state(pid_t pid, struct injection *i, char state)
{
	int n = 0;

	for (size_t k = 0; k < threads_count(i); k++)
		n += state_of(pid, thread_tid(threads_at(i, k))) == state;
	return n;
}

static void test_many(void)
{
	pid_t pid = target_start(many_target);
	char reason[INJECTION_REASON];
	struct injection *i;
	int rc, before;
	long n;

	target_ready();
	n = atomic_load(&shared->value);
	i = open_target(pid, 10000);
	is_int(threads_hold_all(i, reason), 0, "stops all of %ld threads", n);
	is_int(threads_count(i), n, "and knows them");
	is_int(count_state(pid, i, 't'), n, "and they are stopped");
	before = atomic_load(&shared->progress);
	nap_ms(20);
	is_int(atomic_load(&shared->progress), before, "none of them runs");
	threads_release_all(i);
	ok(wait_until(atomic_load(&shared->progress) > before + n), "all run again");
	is_int(call_in(i, (uint64_t)(uintptr_t)double_it, 21, &rc), 42, "a call that needs more stack than the thread has");
	injection_close(i);
	is_int(target_end(pid), 0, "the program ends well");
}

static void *outlive(void *argument)
{
	atomic_store(&shared->ready, 1);
	nap_thread(argument);
	_exit(0);
}

static int headless_target(void)
{
	pthread_t id;

	pthread_create(&id, NULL, outlive, NULL);
	pthread_exit(NULL);
}

static void test_headless(void)
{
	pid_t pid = target_start(headless_target);
	char reason[INJECTION_REASON];
	struct injection *i;
	int rc;

	target_ready();
	ok(wait_until(state_of(pid, pid) == 'Z'), "the main thread has ended");
	i = open_target(pid, 0);
	is_int(threads_hold_all(i, reason), 0, "the rest can be stopped");
	is_int(threads_count(i), 1, "which is one thread");
	threads_release_all(i);
	is_int(call_in(i, (uint64_t)(uintptr_t)double_it, 4, &rc), 8, "and used");
	/* Its end is its parent's to see, also while it is still open. */
	is_int(target_end(pid), 0, "the program ends well");
	injection_close(i);
}

static int quiet_target(void)
{
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		nap_ms(2);
	return 0;
}

static void test_stopped(void)
{
	pid_t pid = target_start(many_target);
	char reason[INJECTION_REASON];
	struct injection *i;
	int rc, n;

	target_ready();
	kill(pid, SIGSTOP);
	ok(wait_until(state_of(pid, pid) == 'T'), "the process is stopped");
	i = open_target(pid, 0);
	ok(injection_stopped(i), "which is known");
	is_int(call_in(i, (uint64_t)(uintptr_t)double_it, 8, &rc), 16, "it can be used");
	is_int(threads_hold_all(i, reason), 0, "and held as a whole");
	n = (int)threads_count(i);
	threads_release_all(i);
	nap_ms(20);
	is_int(threads_hold_all(i, reason), 0, "twice");
	is_int(threads_count(i), n, "with all threads");
	threads_release_all(i);
	injection_close(i);
	ok(wait_until(state_of(pid, pid) == 'T'), "it is stopped as before");
	n = atomic_load(&shared->progress);
	nap_ms(30);
	is_int(atomic_load(&shared->progress), n, "with all its threads");
	kill(pid, SIGCONT);
	ok(wait_until(atomic_load(&shared->progress) > n + MANY), "SIGCONT lets it go on");
	is_int(target_end(pid), 0, "the program ends well");
}

static int vfork_target(void)
{
	pid_t child;

	atomic_store(&shared->ready, 1);
	child = vfork();
	if (child == 0) {
		while (!atomic_load(&shared->more))
			syscall(SYS_sched_yield);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return quiet_target();
}

static void test_vfork(void)
{
	pid_t pid = target_start(vfork_target);
	char reason[INJECTION_REASON] = "";
	struct injection *i;
	struct thread *t;
	int rc;

	target_ready();
	nap_ms(30);
	i = open_target(pid, 100);
	is_int(threads_hold_all(i, reason), -ETIMEDOUT, "a parent in vfork does not stop");
	ok(strstr(reason, "vfork"), "which is said: %s", reason);
	is_int(threads_hold(i, 0, &t, reason), -ETIMEDOUT, "nor is there another thread");
	ok(strstr(reason, "vfork"), "which is said: %s", reason);
	is_int(threads_hold(i, pid, &t, reason), -ETIMEDOUT, "it is asked to stop");
	is_int(threads_count(i), 0, "nothing is held");
	atomic_store(&shared->more, 1);
	ok(wait_until(state_of(pid, pid) == 'S'), "once its child is gone it runs, although it was asked to stop");
	is_int(call_in(i, (uint64_t)(uintptr_t)double_it, 8, &rc), 16, "and can be used");
	injection_close(i);
	is_int(target_end(pid), 0, "the program ends well");
}

static int zombie_target(void)
{
	return 0;
}

/* Open one that must be refused: the errno and a word of the reason. */
static void refused(pid_t pid, int want, const char *word, const char *what)
{
	char reason[INJECTION_REASON] = "";
	struct injection *i;
	int rc = injection_open(&i, pid, NULL, reason);

	is_int(rc, want, "%s is refused", what);
	ok(strstr(reason, word), "%s: %s", what, reason);
	if (rc == 0)
		injection_close(i);
}

static pid_t kernel_thread(void)
{
	char path[32], byte;
	int fd = open("/proc/2/stat", O_RDONLY), rc;

	(void)path;
	if (fd < 0)
		return 0;
	close(fd);
	fd = open("/proc/2/cmdline", O_RDONLY);
	rc = fd < 0 ? 1 : (int)read(fd, &byte, 1);
	if (fd >= 0)
		close(fd);
	return rc == 0 && readlink("/proc/2/exe", &byte, 1) < 0 ? 2 : 0;
}

static void *bystander(void *argument)
{
	*(_Atomic int *)argument = (int)syscall(SYS_gettid);
	while (*(_Atomic int *)argument)
		nap_ms(1);
	return NULL;
}

static void test_refusals(void)
{
	_Atomic int tid = 0;
	pthread_t thread;
	pid_t pid = target_start(zombie_target);

	wait_until(state_of(pid, pid) == 'Z');
	refused(pid, -ESRCH, "zombie", "a zombie");
	waitpid(pid, NULL, 0);
	refused(pid, -ESRCH, "no such process", "a process that is not");
	refused(getpid(), -EINVAL, "memtrack itself", "memtrack itself");
	pthread_create(&thread, NULL, bystander, &tid);
	wait_until(tid);
	refused(tid, -EINVAL, "thread", "a thread's number");
	tid = 0;
	pthread_join(thread, NULL);
	if (kernel_thread())
		refused(kernel_thread(), -ENOTSUP, "kernel thread", "a kernel thread");
	else
		skip(2, "there is no kernel thread to be seen");
	pid = target_start(quiet_target);
	target_ready();
	ptrace(PTRACE_SEIZE, pid, 0, 0);
	refused(pid, -EBUSY, "already traced by", "a traced process");
	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	waitpid(pid, NULL, 0);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	is_int(target_end(pid), 0, "which goes on");
}

/* As nobody, in a child. */
static void refused_as_nobody(pid_t pid, int want, const char *word, const char *what)
{
	char reason[INJECTION_REASON] = "";
	struct injection *i;
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(9);
		prctl(PR_SET_DUMPABLE, 1);
		status = injection_open(&i, pid, NULL, reason);
		printf("# %s: %s\n", what, reason);
		fflush(stdout);
		_exit(status != want ? 1 : !strstr(reason, word) ? 2 : 0);
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "%s is refused by nobody's memtrack", what);
}

static int undumpable_target(void)
{
	if (setgid(65534) != 0 || setuid(65534) != 0)
		return 1;
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* setuid has cleared it */
	return quiet_target();
}

/* Killed for any of these, by a filter. */
static int confined_target(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (setgid(65534) != 0 || setuid(65534) != 0)
		return 1;
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return 1;
	return quiet_target();
}

static void test_permission(void)
{
	pid_t pid = target_start(quiet_target);
	int rc;
	struct injection *i;

	target_ready();
	refused_as_nobody(pid, -EPERM, "runs as user 0", "root's process");
	is_int(target_end(pid), 0, "which goes on");
	pid = target_start(undumpable_target);
	target_ready();
	refused_as_nobody(pid, -EPERM, "protected", "one that is not dumpable");
	i = open_target(pid, 0);
	is_int(call_in(i, (uint64_t)(uintptr_t)double_it, 8, &rc), 16, "but root's can use it");
	injection_close(i);
	is_int(target_end(pid), 0, "which goes on");
	pid = target_start(confined_target);
	target_ready();
	refused_as_nobody(pid, -EPERM, "seccomp", "one confined by seccomp");
	i = open_target(pid, 0);
	is_int(call_in(i, (uint64_t)(uintptr_t)double_it, 8, &rc), 16, "but root's can use it, filter or not");
	injection_close(i);
	is_int(target_end(pid), 0, "which goes on");
}

int main(void)
{
	shared_init();
	test_many();
	test_headless();
	test_stopped();
	test_vfork();
	test_refusals();
	if (geteuid() == 0)
		test_permission();
	else
		skip(1, "only root can be somebody else");
	return done_testing();
}
