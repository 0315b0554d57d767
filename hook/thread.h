/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread slots: claimed at a thread's first event, named, filtered, told goodbye. */
#ifndef HOOK_THREAD_H
#define HOOK_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct channel_thread;

/* This thread is the first of a fork child that calls. */
void thread_forked(void);

/* Start of the process: main stack bounds, where the tid is kept, the exit key. */
void thread_init(char **envp);

/* A new session: whatever slots threads had, they have none any more.  Other threads may run, but a
 * word of one that ends this very moment could be somebody else's memory: better they do not. */
void thread_forget_all(void);

/* The calling thread's slot, claimed if it has none. NULL when there is no free slot (counted).  A signal
 * handler may do so in the midst of a claim. */
struct channel_thread *thread_claim(void);

/* A call inside the settling of a fork child is a signal handler's: it passes through.  A longjmp out of
 * one leaves hook_tls()->settling behind; then the mark is gone from the stack, or the call is not below it,
 * and thread_settling is false. */
bool thread_settling(void);
void thread_settle_begin(volatile uintptr_t *mark);
void thread_settle_end(volatile uintptr_t *mark);

/* A thread got a name; tid 0 means the calling one. */
void thread_set_name(uint32_t tid, const char *name);

/* The kernel tid of the thread that a pthread_t stands for; 0 if that cannot be told. */
uint32_t thread_tid_of(uintptr_t pthread);

/* The thread in this slot is known to be gone. */
void thread_left(uint32_t slot);

#endif
