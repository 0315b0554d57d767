/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A few bytes of the target's own code pages where nothing ever runs, for our instructions. */
#ifndef INJECT_CAVE_H
#define INJECT_CAVE_H

#include "inject/state.h"
#include "symbols/maps.h"

/* Where the index-th mapping has room for one; 0: it has none. */
uint64_t cave_in(struct injection *, const struct maps *, size_t index);

/* Finds one and keeps what is there.  -ENOSPC: no object leaves room. */
int cave_find(struct injection *);
int cave_write(struct injection *, const uint8_t code[CAVE_SIZE]);

/* The stopped thread is in it. */
bool cave_holds(const struct thread *);

/* Puts back what was there. */
int cave_restore(struct injection *);

/* A thread may still run in it: it stays as it is, and another one is taken from now on. */
void cave_abandon(struct injection *);

#endif
