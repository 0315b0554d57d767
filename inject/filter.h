/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the seccomp filters of a process say of the hook. */
#ifndef INJECT_FILTER_H
#define INJECT_FILTER_H

#include "inject/process.h"

#include <stddef.h>
#include <stdint.h>

struct sock_filter;

/* What is done while a thread is held is exempt from its filters, what comes later is not: -ENOTSUP with the reason if
 * they forbid futex, the hook's only system call; and whether sleeps that are interrupted can go on is kept in mind.  One
 * thread is held for a moment.  Filters that cannot be read forbid no futex. */
int filter_look(struct injection *, char reason[INJECTION_REASON]);

/* What a filter of that length says of a call with arguments of 0: a SECCOMP_RET_ value.  One that does what the kernel
 * does not allow either says SECCOMP_RET_KILL_PROCESS. */
uint32_t filter_says(const struct sock_filter *, size_t length, long number);

#endif
