/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways of being blocked in the kernel. */
#ifndef TESTS_ATTACH_BLOCKING_H
#define TESTS_ATTACH_BLOCKING_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#define BLOCKING_US 20000		/* so long a call is blocked, about */

struct blocking_call;

/* In memory shared with the helper process. */
struct blocking {
	const struct blocking_call *call;
	int fd[2];
	long id;			/* of whatever else there is */
	_Atomic int word;
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	sem_t semaphore;
};

struct blocking_call {
	const char *name;
	int (*setup)(struct blocking *);	/* 0, or not possible here; may be NULL */
	long (*block)(struct blocking *);	/* one call, errno as it left it */
	void (*feed)(struct blocking *);	/* by the helper: ends one call; NULL: it ends by time */
	long want;				/* what block() must return */
	uint64_t least_us;			/* and how long it must have taken */
	void (*finish)(struct blocking *);	/* gives back what would outlive the process; may be NULL */
};

/* Each ended by a name of NULL. */
extern const struct blocking_call blocking_time[], blocking_files[], blocking_ipc[];

#endif
