/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects that are loaded while a process is traced that ran before: one that has an allocator's functions is to
 * be patched, too, and nobody inside can do that. */
#ifndef HOOK_LOADS_H
#define HOOK_LOADS_H

/* The loader has changed its lists, holds its lock, and has not bound or started what is new.  Returns
 * when the launcher has looked at it, or has not answered in time. */
void loads_look(void);

#endif
