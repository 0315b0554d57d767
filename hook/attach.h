/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook in a process that ran before it came (trace/attach.h). */
#ifndef HOOK_ATTACH_H
#define HOOK_ATTACH_H

#include <stdbool.h>

#include "trace/attach.h"

extern struct attach_state memtrack_state __attribute__((visibility("default")));

#ifdef HOOK_MAPPED
#define attach_injected() true
#else
extern volatile uint32_t memtrack_injected __attribute__((visibility("default")));
/* This copy of the library was put into a running process: it begins with memtrack_attach only. */
#define attach_injected() (memtrack_injected != 0)
#endif

/* Somebody outside has ended the session: nothing is recorded, and this is no fork child. */
bool attach_ended(void);

#endif
