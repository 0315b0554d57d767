/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of a held thread, as they will be when it is let go. */
#ifndef INJECT_REGISTERS_H
#define INJECT_REGISTERS_H

#include "inject/threads.h"

#include <sys/user.h>

/* As the thread came to its stop; what is set later shows at once. */
uint64_t thread_pc(const struct thread *);
uint64_t thread_sp(const struct thread *);

/* The base of its thread-local storage. */
uint64_t thread_pointer(const struct thread *);

/* -ESRCH: it has ended. */
int thread_set_registers(struct thread *, const struct user_regs_struct *);
int thread_set_pc(struct thread *, uint64_t pc);

/* Whether it is inside a restartable sequence, which the kernel would abort if the thread did anything else. */
bool thread_in_rseq(struct thread *);

#endif
