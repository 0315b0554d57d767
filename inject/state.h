/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of inject/ share of an injection and its threads. */
#ifndef INJECT_STATE_H
#define INJECT_STATE_H

#include "base/vector.h"
#include "inject/process.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/user.h>

enum thread_state {
	THREAD_ASKED,			/* seized and interrupted, not yet stopped */
	THREAD_STOPPED,
	THREAD_CALLING,			/* runs a remote call whose deadline passed */
	THREAD_GONE,			/* ended; nothing can be asked of it */
};

enum call_kind {
	CALL_EARLY,			/* a system call before there is a scratch area */
	CALL_SYSTEM,			/* any number of them */
	CALL_FUNCTION,
};

/* A remote call under way. */
struct call {
	enum call_kind kind;
	uint64_t target, arguments[6];	/* number or address */
	bool entered;			/* an early call's begin was seen */
	bool asked;			/* to stop, since the call is over */
	int signal;			/* somebody sent it meanwhile, and it could not be made to wait */
	uint64_t result;
};

/* What a thread had before a remote call.  The kernel's state of an interrupted system call is in
 * rax and orig_rax. */
struct call_saved {
	struct user_regs_struct regs;
	uint64_t mask;
	void *xstate;			/* extended registers, as PTRACE_GETREGSET gives them */
	size_t xstate_size;
};

struct thread {
	struct injection *of;
	pid_t tid;
	enum thread_state state;
	int status;			/* of the last stop, as from waitpid */
	int signal;			/* about to be delivered: goes with the detach */
	bool executed;			/* it runs another program now: hands off */
	bool blocked;			/* it was inside a system call that was interrupted */
	struct user_regs_struct regs;	/* valid while stopped */
	struct call call;
	struct call_saved saved;
};

VECTOR_STRUCT(thread_list, struct thread *);

/* The thread of memtrack that is the tracer; see inject/tracer.h. */
struct tracer {
	pthread_t thread;
	bool running;
	sem_t asked, done;
	int (*work)(struct injection *, void *);
	void *argument;
	int result;
};

/* Bytes of the target's code where nothing ever runs: the end of the last page of a text segment. */
#define CAVE_SIZE	320u

struct cave {
	uint64_t address;		/* 0: not looked for yet */
	uint64_t spoilt;		/* a thread was left running in this one; 0: none */
	uint8_t original[CAVE_SIZE];
	bool written;
};

struct scratch {
	uint64_t base;			/* 0: none */
	uint64_t used;
};

struct injection {
	pid_t pid, inside;
	char name[32];			/* comm, printable */
	int pidfd, mem;
	uint64_t start_time;
	int stop_ms;
	bool was_stopped;
	bool seccomp_suspended;		/* seized threads are exempt */
	bool no_restart;		/* but once they are let go restart_syscall would be forbidden */
	bool executed;
	bool lingering;			/* a thread is seized that never stopped */
	struct thread_list threads;
	struct tracer tracer;
	struct cave cave;
	struct scratch scratch;
};

#endif
