/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the seccomp filters of a process say of the hook. */
#ifndef INJECT_FILTER_H
#define INJECT_FILTER_H

#include "inject/process.h"

#include <stddef.h>
#include <stdint.h>

struct sock_filter;

/* What is done while a thread is held is exempt from its filters, what the hook does later is not: -ENOTSUP with the
 * reason if they forbid futex, its only system call.  One thread is held for a moment.  Filters that cannot be
 * read forbid nothing. */
int filter_refuse(struct injection *, char reason[INJECTION_REASON]);

/* What a filter of that length says of a call with arguments of 0: a SECCOMP_RET_ value.  One that does what the kernel
 * does not allow either says SECCOMP_RET_KILL_PROCESS. */
uint32_t filter_says(const struct sock_filter *, size_t length, long number);

#endif
