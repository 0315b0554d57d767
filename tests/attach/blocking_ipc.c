/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that are blocked until another process does something. */
#include "tests/attach/blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void futex_feed(struct blocking *b)
{
	atomic_fetch_add(&b->word, 1);
	syscall(SYS_futex, &b->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static long futex_block(struct blocking *b)
{
	int seen = atomic_load(&b->word);
	long result = syscall(SYS_futex, &b->word, FUTEX_WAIT, seen, NULL, NULL, 0);

	return result == -1 && errno == EAGAIN ? 0 : result;
}

static int cond_setup(struct blocking *b)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	return pthread_mutex_init(&b->mutex, &mutex) || pthread_cond_init(&b->condition, &condition);
}

static void cond_feed(struct blocking *b)
{
	pthread_mutex_lock(&b->mutex);
	atomic_fetch_add(&b->word, 1);
	pthread_cond_signal(&b->condition);
	pthread_mutex_unlock(&b->mutex);
}

static long cond_block(struct blocking *b)
{
	int seen, error = 0;

	pthread_mutex_lock(&b->mutex);
	seen = atomic_load(&b->word);
	while (error == 0 && atomic_load(&b->word) == seen)
		error = pthread_cond_wait(&b->condition, &b->mutex);
	pthread_mutex_unlock(&b->mutex);
	errno = error;
	return error ? -1 : 0;
}

static int sem_setup(struct blocking *b)
{
	return sem_init(&b->semaphore, 1, 0);
}

static void sem_feed(struct blocking *b)
{
	sem_post(&b->semaphore);
}

static long sem_block(struct blocking *b)
{
	return sem_wait(&b->semaphore);
}

struct message {
	long type;
	char text[8];
};

static int message_setup(struct blocking *b)
{
	b->id = msgget(IPC_PRIVATE, 0600);
	return b->id < 0;
}

static void message_finish(struct blocking *b)
{
	msgctl((int)b->id, IPC_RMID, NULL);
}

static void message_feed(struct blocking *b)
{
	struct message message = { 1, "abc" };

	msgsnd((int)b->id, &message, 3, IPC_NOWAIT);
}

static long message_block(struct blocking *b)
{
	struct message message;

	return msgrcv((int)b->id, &message, sizeof(message.text), 0, 0);
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

static void semop_feed(struct blocking *b)
{
	struct sembuf give = { 0, 1, 0 };

	semop((int)b->id, &give, 1);
}

static long semop_block(struct blocking *b)
{
	struct sembuf take = { 0, -1, 0 };

	return semop((int)b->id, &take, 1);
}

static int queue_setup(struct blocking *b)
{
	struct mq_attr attributes = { .mq_maxmsg = 8, .mq_msgsize = 8 };
	char name[64];

	snprintf(name, sizeof(name), "/memtrack-test-%d", getpid());
	b->fd[0] = mq_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600, &attributes);
	mq_unlink(name);
	return b->fd[0] < 0;
}

static void queue_feed(struct blocking *b)
{
	struct timespec now = { 0, 0 };

	mq_timedsend(b->fd[0], "abc", 3, 0, &now);
}

static long queue_block(struct blocking *b)
{
	char text[8];
	struct timespec far = { 1L << 33, 0 };

	return mq_timedreceive(b->fd[0], text, sizeof(text), NULL, &far);
}

/* The child of the worker itself. */
static long wait_block(struct blocking *b)
{
	struct timespec time = { 0, BLOCKING_US * 1000 };
	pid_t child = fork();
	int status = 0;
	long result;

	(void)b;
	if (child == 0) {
		nanosleep(&time, NULL);
		_exit(5);
	}
	result = waitpid(child, &status, 0);
	if (result == -1)
		return -1;
	return result == child && WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

/* A signal that is waited for, numbered: none may be missing, none twice. */
static int sigwait_setup(struct blocking *b)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 8);
	return sigprocmask(SIG_BLOCK, &set, NULL) || (b->id = getpid()) < 0;
}

static void sigwait_feed(struct blocking *b)
{
	union sigval value = { .sival_int = atomic_load(&b->word) };

	if (sigqueue((pid_t)b->id, SIGRTMIN + 8, value) == 0)
		atomic_fetch_add(&b->word, 1);
}

static long sigwait_block(struct blocking *b)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 8);
	if (sigwaitinfo(&set, &info) < 0)
		return -1;
	return info.si_value.sival_int == b->fd[0]++ ? 0 : -2;
}

/* pause() returns when a handler has run, and not before. */
static _Atomic int paused_signals;

static void pause_handler(int signal)
{
	(void)signal;
	atomic_fetch_add(&paused_signals, 1);
}

static int pause_setup(struct blocking *b)
{
	b->id = getpid();
	return signal(SIGRTMIN + 9, pause_handler) == SIG_ERR;
}

static void pause_feed(struct blocking *b)
{
	if (b->fd[1])
		syscall(SYS_tgkill, b->id, b->fd[1], SIGRTMIN + 9);
}

static long pause_block(struct blocking *b)
{
	sigset_t one, old;
	int seen;

	b->fd[1] = (int)syscall(SYS_gettid);
	sigemptyset(&one);
	sigaddset(&one, SIGRTMIN + 9);
	pthread_sigmask(SIG_BLOCK, &one, &old);
	seen = atomic_load(&paused_signals);
	sigsuspend(&old);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = 0;
	return atomic_load(&paused_signals) > seen ? 0 : -2;
}

const struct blocking_call blocking_ipc[] = {
	{ "futex_wait", NULL, futex_block, futex_feed, 0, 0, NULL },
	{ "cond_wait", cond_setup, cond_block, cond_feed, 0, 0, NULL },
	{ "sem_wait", sem_setup, sem_block, sem_feed, 0, 0, NULL },
	{ "msgrcv", message_setup, message_block, message_feed, 3, 0, message_finish },
	{ "semop", semop_setup, semop_block, semop_feed, 0, 0, semop_finish },
	{ "mq_receive", queue_setup, queue_block, queue_feed, 3, 0, NULL },
	{ "wait4", NULL, wait_block, NULL, 5, 0, NULL },
	{ "sigwaitinfo", sigwait_setup, sigwait_block, sigwait_feed, 0, 0, NULL },
	{ "sigsuspend", pause_setup, pause_block, pause_feed, 0, 0, NULL },
	{ NULL, NULL, NULL, NULL, 0, 0, NULL },
};
