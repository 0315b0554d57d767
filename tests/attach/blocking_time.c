/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that are blocked until a time has come. */
#include "tests/attach/blocking.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

#define MS (BLOCKING_US / 1000)

static const struct timespec wait_time = { 0, BLOCKING_US * 1000 };

static struct timespec later(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	at.tv_nsec += BLOCKING_US * 1000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

/* 0, or the error in errno and -1, as system calls do. */
static long from_error(int error)
{
	errno = error;
	return error ? -1 : 0;
}

/* A call that ends by time says so by this error. */
static long timed_out(long result, int error)
{
	return result == -1 && errno == error ? 0 : result == -1 ? -1 : 1;
}

static long nanosleep_block(struct blocking *b)
{
	(void)b;
	return nanosleep(&wait_time, NULL);
}

static long absolute_block(struct blocking *b)
{
	struct timespec at = later(CLOCK_MONOTONIC);

	(void)b;
	return from_error(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
}

static long poll_block(struct blocking *b)
{
	(void)b;
	return poll(NULL, 0, MS);
}

static long ppoll_block(struct blocking *b)
{
	sigset_t mask;

	(void)b;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return ppoll(NULL, 0, &wait_time, &mask);
}

static long select_block(struct blocking *b)
{
	struct timeval time = { 0, BLOCKING_US };

	(void)b;
	return select(0, NULL, NULL, NULL, &time);
}

static long pselect_block(struct blocking *b)
{
	sigset_t mask;

	(void)b;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return pselect(0, NULL, NULL, NULL, &wait_time, &mask);
}

static int epoll_setup(struct blocking *b)
{
	b->fd[0] = epoll_create1(EPOLL_CLOEXEC);
	return b->fd[0] < 0;
}

static long epoll_block(struct blocking *b)
{
	struct epoll_event event;

	return epoll_wait(b->fd[0], &event, 1, MS);
}

static long futex_block(struct blocking *b)
{
	return timed_out(syscall(SYS_futex, &b->word, FUTEX_WAIT, 0, &wait_time, NULL, 0), ETIMEDOUT);
}

static long cond_block(struct blocking *b)
{
	struct timespec at = later(CLOCK_REALTIME);
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	int error;

	(void)b;
	pthread_mutex_lock(&mutex);
	error = pthread_cond_timedwait(&condition, &mutex, &at);
	pthread_mutex_unlock(&mutex);
	return error == ETIMEDOUT ? 0 : from_error(error);
}

static int sem_setup(struct blocking *b)
{
	return sem_init(&b->semaphore, 1, 0);
}

static long sem_block(struct blocking *b)
{
	struct timespec at = later(CLOCK_REALTIME);

	return timed_out(sem_timedwait(&b->semaphore, &at), ETIMEDOUT);
}

static long sigtimedwait_block(struct blocking *b)
{
	sigset_t set, old;
	int saved;
	long result;

	(void)b;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 7);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	result = timed_out(sigtimedwait(&set, NULL, &wait_time), EAGAIN);
	saved = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return result;
}

static int semop_setup(struct blocking *b)
{
	b->id = semget(IPC_PRIVATE, 1, 0600);
	return b->id < 0;
}

static void semop_finish(struct blocking *b)
{
	semctl((int)b->id, 0, IPC_RMID);
}

static long semtimedop_block(struct blocking *b)
{
	struct sembuf take = { 0, -1, 0 };

	return timed_out(semtimedop((int)b->id, &take, 1, &wait_time), EAGAIN);
}

static int aio_setup(struct blocking *b)
{
	aio_context_t context = 0;

	if (syscall(SYS_io_setup, 1, &context) != 0)
		return 1;
	b->id = (long)context;
	return 0;
}

static long aio_block(struct blocking *b)
{
	struct timespec time = wait_time;
	struct io_event event;

	return syscall(SYS_io_getevents, b->id, 1L, 1L, &event, &time);
}

static int receive_setup(struct blocking *b)
{
	struct timeval time = { 0, BLOCKING_US };

	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b->fd) ||
		setsockopt(b->fd[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
}

static long receive_block(struct blocking *b)
{
	char byte;

	return timed_out(recv(b->fd[0], &byte, 1, 0), EAGAIN);
}

static int timerfd_setup(struct blocking *b)
{
	struct itimerspec every = { wait_time, wait_time };

	b->fd[0] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return b->fd[0] < 0 || timerfd_settime(b->fd[0], 0, &every, NULL);
}

static long timerfd_block(struct blocking *b)
{
	uint64_t times;

	return read(b->fd[0], &times, sizeof(times));
}

const struct blocking_call blocking_time[] = {
	{ "nanosleep", NULL, nanosleep_block, NULL, 0, BLOCKING_US, NULL },
	{ "clock_nanosleep", NULL, absolute_block, NULL, 0, BLOCKING_US, NULL },
	{ "poll", NULL, poll_block, NULL, 0, BLOCKING_US, NULL },
	{ "ppoll", NULL, ppoll_block, NULL, 0, BLOCKING_US, NULL },
	{ "select", NULL, select_block, NULL, 0, BLOCKING_US, NULL },
	{ "pselect", NULL, pselect_block, NULL, 0, BLOCKING_US, NULL },
	{ "epoll_wait", epoll_setup, epoll_block, NULL, 0, BLOCKING_US - 1000, NULL },
	{ "futex", NULL, futex_block, NULL, 0, BLOCKING_US, NULL },
	{ "cond_timedwait", NULL, cond_block, NULL, 0, BLOCKING_US - 1000, NULL },
	{ "sem_timedwait", sem_setup, sem_block, NULL, 0, BLOCKING_US - 1000, NULL },
	{ "sigtimedwait", NULL, sigtimedwait_block, NULL, 0, BLOCKING_US - 1000, NULL },
	{ "semtimedop", semop_setup, semtimedop_block, NULL, 0, BLOCKING_US - 1000, semop_finish },
	{ "io_getevents", aio_setup, aio_block, NULL, 0, BLOCKING_US - 1000, NULL },
	{ "recv_timeout", receive_setup, receive_block, NULL, 0, BLOCKING_US - 4000, NULL },
	{ "timerfd", timerfd_setup, timerfd_block, NULL, 8, 0, NULL },
	{ NULL, NULL, NULL, NULL, 0, 0, NULL },
};
