/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/status and stat, as far as attaching asks for them. */
#ifndef INJECT_STATUS_H
#define INJECT_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_status {
	char name[64];			/* as the kernel escapes it */
	char state;			/* R S D T t Z X I */
	pid_t tgid, tracer, inside;	/* inside: in its own pid namespace */
	unsigned uid[4];		/* real, effective, saved, fs */
	unsigned seccomp;		/* 0 none, 1 strict, 2 filter */
	uint64_t permitted;		/* capabilities */
	unsigned long flags;		/* the kernel's PF_ */
	uint64_t start_time;
	bool shadow_stack;
};

#define STATUS_KERNEL_THREAD	0x00200000ul
#define STATUS_SECCOMP_STRICT	1u

/* R S D T t Z X I; 0: the thread is not there. */
char status_state(pid_t pid, pid_t tid);

/* Of the process, or with tid of one thread (0: none).  0 or -errno. */
int status_read(pid_t pid, pid_t tid, struct process_status *);

#endif
