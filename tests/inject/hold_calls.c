/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls that were interrupted by a stop go on as if nothing had been, and signals are delivered once. */
#include "tests/inject/hold_fixture.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#define WAIT_MS	900

static const struct timespec period = { 0, WAIT_MS * 1000000l };

/* Each blocks for WAIT_MS; 0: it ended as it should. */
static int call_nanosleep(void)
{
	return nanosleep(&period, NULL);
}

static int call_clock_nanosleep(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += period.tv_nsec;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int call_poll(void)
{
	return poll(NULL, 0, WAIT_MS);
}

static int call_ppoll(void)
{
	sigset_t none;

	sigemptyset(&none);
	return ppoll(NULL, 0, &period, &none);
}

static int call_select(void)
{
	struct timeval t = { 0, WAIT_MS * 1000 };

	return select(0, NULL, NULL, NULL, &t);
}

static int call_epoll_wait(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_create1(0), &event, 1, WAIT_MS);
}

static int call_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t some;

	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	return epoll_pwait(epoll_create1(0), &event, 1, WAIT_MS, &some);
}

static int call_recv(void)
{
	struct timeval t = { 0, WAIT_MS * 1000 };
	int pair[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	return recv(pair[0], &byte, 1, 0) == -1 && errno == EAGAIN ? 0 : 2;
}

static int call_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &period) == -1 && errno == EAGAIN ? 0 : 2;
}

static int call_semtimedop(void)
{
	struct sembuf down = { 0, -1, 0 };
	int id = semget(IPC_PRIVATE, 1, 0600), rc, error;

	rc = semtimedop(id, &down, 1, &period);
	error = errno;
	semctl(id, 0, IPC_RMID);
	return rc == -1 && error == EAGAIN ? 0 : 2;
}

static int call_io_getevents(void)
{
	aio_context_t context = 0;
	struct timespec t = period;
	struct io_event event;

	if (syscall(SYS_io_setup, 1, &context) != 0)
		return 0;	/* a kernel without */
	return (int)syscall(SYS_io_getevents, context, 1, 1, &event, &t);
}

static int call_sem_timedwait(void)
{
	struct timespec t;
	sem_t sem;

	sem_init(&sem, 0, 0);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += period.tv_nsec;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT ? 0 : 2;
}

static int call_timerfd(void)
{
	const struct itimerspec once = { { 0, 0 }, period };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t n;

	timerfd_settime(fd, 0, &once, NULL);
	return read(fd, &n, sizeof(n)) == sizeof(n) && n == 1 ? 0 : 2;
}

/* A child ends the wait. */
static pid_t after_a_while(int fd)
{
	pid_t child = fork();

	if (child == 0) {
		nap_ms(WAIT_MS);
		if (fd >= 0 && write(fd, "12345678", 8) != 8)
			_exit(1);
		_exit(0);
	}
	return child;
}

static int call_wait(void)
{
	int status;

	return waitpid(after_a_while(-1), &status, 0) > 0 && status == 0 ? 0 : 2;
}

static int call_pipe(void)
{
	int ends[2];
	char bytes[8];

	if (pipe(ends) != 0)
		return 1;
	after_a_while(ends[1]);
	return read(ends[0], bytes, 8) == 8 ? 0 : 2;
}

static int call_eventfd(void)
{
	int fd = eventfd(0, 0);
	uint64_t n;

	after_a_while(fd);
	return read(fd, &n, sizeof(n)) == sizeof(n) ? 0 : 2;
}

static int call_inotify(void)
{
	char directory[] = "/tmp/memtrack-hold.XXXXXX", file[64], bytes[512];
	int fd = inotify_init1(0), rc;

	if (!mkdtemp(directory))
		return 1;
	inotify_add_watch(fd, directory, IN_CREATE);
	snprintf(file, sizeof(file), "%s/x", directory);
	if (fork() == 0) {
		nap_ms(WAIT_MS);
		_exit(close(creat(file, 0600)));
	}
	rc = read(fd, bytes, sizeof(bytes)) > 0 ? 0 : 2;
	unlink(file);
	rmdir(directory);
	return rc;
}

static int call_msgrcv(void)
{
	struct { long type; char text[8]; } message;
	int id = msgget(IPC_PRIVATE, 0600), rc;

	if (fork() == 0) {
		nap_ms(WAIT_MS);
		message.type = 1;
		_exit(msgsnd(id, &message, 1, 0));
	}
	rc = msgrcv(id, &message, 8, 0, 0) == 1 ? 0 : 2;
	msgctl(id, IPC_RMID, NULL);
	return rc;
}

typedef int call_fn(void);
static const struct {
	const char *name;
	call_fn *call;
} calls[] = {
	{ "nanosleep", call_nanosleep },
	{ "clock_nanosleep", call_clock_nanosleep },
	{ "poll", call_poll },
	{ "ppoll", call_ppoll },
	{ "select", call_select },
	{ "epoll_wait", call_epoll_wait },
	{ "epoll_pwait", call_epoll_pwait },
	{ "recv with a timeout", call_recv },
	{ "sigtimedwait", call_sigtimedwait },
	{ "semtimedop", call_semtimedop },
	{ "io_getevents", call_io_getevents },
	{ "sem_timedwait", call_sem_timedwait },
	{ "read of a timer", call_timerfd },
	{ "waitpid", call_wait },
	{ "read of a pipe", call_pipe },
	{ "read of an eventfd", call_eventfd },
	{ "read of inotify", call_inotify },
	{ "msgrcv", call_msgrcv },
};
#define CALLS	(sizeof(calls) / sizeof(*calls))

static size_t current;

/* What became of each call: the tracer is a thread of the target's parent, so that the end of a target that comes while it
 * is seized is told to the tracer alone. */
enum { PENDING, WELL, FAILED, SHORT };
static _Atomic int *outcomes;

static int blocking_target(void)
{
	long start, took;
	int rc;

	atomic_store(&shared->ready, 1);
	start = now_ms();
	rc = calls[current].call();
	took = now_ms() - start;
	if (rc)
		fprintf(stderr, "# result %d, errno %d\n", rc, errno);
	atomic_store(&outcomes[current], rc ? FAILED : took < WAIT_MS - 1 ? SHORT : WELL);
	return 0;
}

static long nothing(long argument)
{
	errno = 77;
	return argument;
}

/* Stops, hijacks and lets go in each way. */
static int disturb(pid_t pid)
{
	const uint64_t none[6] = { 0 };
	char reason[INJECTION_REASON];
	struct injection *i;
	struct thread *t;
	int64_t result;
	int bad = 0, rc;

	if (injection_open(&i, pid, NULL, reason) != 0)
		return 1;
	bad += threads_hold_all(i, reason) != 0;
	threads_release_all(i);
	bad += call_in(i, (uint64_t)(uintptr_t)nothing, 5, &rc) != 5;
	if (threads_hold(i, 0, &t, reason) == 0) {
		bad += remote_syscall(i, t, SYS_getppid, none, &result) != 0;
		bad += remote_syscall(i, t, SYS_getpid, none, &result) != 0 || result != pid;
		thread_release(t);
	} else {
		bad++;
	}
	injection_close(i);
	return bad;
}

static void test_blocking(void)
{
	pid_t pids[CALLS];
	int bad[CALLS] = { 0 };

	outcomes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t k = 0; k < CALLS; k++) {
		current = k;
		pids[k] = target_start(blocking_target);
		target_ready();
		wait_until(state_of(pids[k], pids[k]) == 'S');
		bad[k] += disturb(pids[k]);
	}
	/* On a slow machine some have ended by now. */
	for (int round = 0; round < 2; round++)
		for (size_t k = 0; k < CALLS; k++)
			if (state_of(pids[k], pids[k]) == 'S')
				disturb(pids[k]);
	for (size_t k = 0; k < CALLS; k++) {
		is_int(bad[k], 0, "%s: the thread was stopped and used", calls[k].name);
		wait_until(atomic_load(&outcomes[k]) != PENDING);
		kill(pids[k], SIGKILL);
		waitpid(pids[k], NULL, __WALL);
		is_int(atomic_load(&outcomes[k]), WELL, "%s: came back as it would have", calls[k].name);
	}
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	atomic_fetch_add(&shared->seen, 1);
	if (signal == SIGRTMIN)
		atomic_fetch_add(&shared->value, info->si_value.sival_int);
}

static void handle(int signal, int flags)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | flags };

	sigaction(signal, &action, NULL);
}

/* Queued signals with a value each; the sum tells whether each came once. */
static int signals_target(void)
{
	handle(SIGRTMIN, SA_RESTART);
	signal(SIGTRAP, SIG_IGN);
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		atomic_fetch_add(&shared->progress, 1);
	return 0;
}

static bool ignores(pid_t pid, int signal)
{
	char line[256], path[64];
	unsigned long long set = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigIgn: %llx", &set) == 1)
			break;
	if (f)
		fclose(f);
	return set >> (signal - 1) & 1;
}

#define SIGNALS	400

static void test_signals(void)
{
	pid_t pid = target_start(signals_target), sender;
	char reason[INJECTION_REASON];
	struct injection *i;
	int bad = 0, status, rc;

	target_ready();
	i = open_target(pid, 0);
	fflush(stdout);
	sender = fork();
	if (sender == 0) {
		for (int k = 1; k <= SIGNALS; k++) {
			union sigval value = { .sival_int = k };

			while (sigqueue(pid, SIGRTMIN, value) != 0)
				nap_ms(1);
			if (k % 20 == 0)
				nap_ms(1);
		}
		_exit(0);
	}
	do {
		bad += threads_hold_all(i, reason) != 0;
		threads_release_all(i);
		bad += call_in(i, (uint64_t)(uintptr_t)nothing, 9, &rc) != 9;
	} while (waitpid(sender, &status, WNOHANG) == 0);
	is_int(bad, 0, "stops and calls in a rain of signals");
	injection_close(i);
	ok(wait_until(atomic_load(&shared->seen) == SIGNALS), "each of %d signals was delivered", SIGNALS);
	nap_ms(10);
	is_int(atomic_load(&shared->value), (long)SIGNALS * (SIGNALS + 1) / 2, "once");
	ok(ignores(pid, SIGTRAP), "SIGTRAP is still ignored");
	is_int(target_end(pid), 0, "the program ends well");
}

/* A signal with a handler that comes while the thread is held in a call which would not be restarted: the call
 * must say EINTR, or a program that waits for its handler's word sleeps for ever. */
static int handler_target(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0), rc;

	handle(SIGUSR1, 0);
	atomic_store(&shared->ready, 1);
	rc = epoll_wait(fd, &event, 1, 10000);
	return rc == -1 && errno == EINTR && atomic_load(&shared->seen) == 1 ? 0 : 1;
}

static void test_handler(void)
{
	pid_t pid = target_start(handler_target);
	char reason[INJECTION_REASON];
	struct injection *i;
	struct thread *t;
	long start;
	int64_t r;
	const uint64_t none[6] = { 0 };

	target_ready();
	nap_ms(20);
	i = open_target(pid, 0);
	is_int(threads_hold(i, 0, &t, reason), 0, "holds a thread in epoll_wait");
	kill(pid, SIGUSR1);
	is_int(remote_syscall(i, t, SYS_getpid, none, &r), 0, "a system call in it, with a signal waiting");
	is_int(atomic_load(&shared->seen), 0, "the signal waits");
	start = now_ms();
	thread_release(t);
	injection_close(i);
	is_int(target_end(pid), 0, "the signal interrupts epoll_wait, as it would have");
	ok(now_ms() - start < 5000, "at once");
}

/* pause and sigsuspend, with a mask of their own. */
static int suspend_target(void)
{
	sigset_t all, none;

	handle(SIGUSR1, 0);
	sigfillset(&all);
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &all, NULL);
	atomic_store(&shared->ready, 1);
	sigsuspend(&none);
	if (errno != EINTR || atomic_load(&shared->seen) != 1)
		return 1;
	sigprocmask(SIG_BLOCK, NULL, &none);
	return sigismember(&none, SIGUSR1) == 1 ? 0 : 2;
}

static void test_suspend(void)
{
	pid_t pid = target_start(suspend_target);
	int bad = 0;

	target_ready();
	nap_ms(20);
	for (int k = 0; k < 5; k++)
		bad += disturb(pid);
	is_int(bad, 0, "sigsuspend: the thread was stopped and used");
	is_int(atomic_load(&shared->seen), 0, "sigsuspend: no signal came");
	kill(pid, SIGUSR1);
	is_int(target_end(pid), 0, "sigsuspend: it ends by a signal, and the mask is that of before");
}

int main(void)
{
	shared_init();
	test_signals();
	test_handler();
	test_suspend();
	test_blocking();
	return done_testing();
}
