/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resolving addresses while the target runs, at low priority, into SYMBOLS and STRING records.
 *
 *	drain --(module, vaddr)--> queue of a session --> worker --> records --> drain writes them
 *
 * One thread at the lowest priority works for running sessions.  What is left when a session closes,
 * for which people wait, is done by several at normal priority: each takes a run of addresses of one
 * object, other objects first; of one object only where its DWARF is what takes long.  Threads are
 * made when they are first wanted.  Each address is resolved once. */
#ifndef LAUNCHER_SYMBOLISE_H
#define LAUNCHER_SYMBOLISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct jit_map;
struct module_entry;
struct symboliser;
struct symbol_queue;

/* done(owner) is called on a worker when a closing queue is completed. */
struct symboliser *symboliser_new(void (*done)(void *owner), void *owner);
void symboliser_free(struct symboliser *s);

/* Room for max addresses; further ones stay unresolved. */
struct symbol_queue *symbol_queue_new(struct symboliser *s, size_t max);

/* Stops work on it; the modules it refers to may go afterwards. */
void symbol_queue_free(struct symbol_queue *q);

/* Wants an address of a module resolved, unless it was asked for before.  The module's file
 * must live as long as the queue. */
void symbol_queue_add(struct symbol_queue *q, const struct module_entry *m, uint64_t vaddr);

/* The same for an address in no module; the map must live as long as the queue. */
void symbol_queue_add_jit(struct symbol_queue *q, struct jit_map *jit, uint64_t address);

/* Starts work on what was added. */
void symbol_queue_submit(struct symbol_queue *q);

/* Moves the records made so far to the end of *out: whole ones, STRING before use. */
void symbol_queue_take(struct symbol_queue *q, struct buffer *out);

/* All that was wanted so far is resolved; take the records afterwards. */
bool symbol_queue_idle(struct symbol_queue *q);

/* Nothing more will be added: do the rest at once. */
void symbol_queue_close(struct symbol_queue *q);

/* All of a closed queue is resolved; take the records once more. */
bool symbol_queue_done(const struct symbol_queue *q);

#endif
