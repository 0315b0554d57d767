/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses that wait to be resolved, in runs of one object each. */
#ifndef LAUNCHER_SYMBOL_WORK_H
#define LAUNCHER_SYMBOL_WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"
#include "launcher/symbol_records.h"

VECTOR_STRUCT(symbol_works, struct symbol_work);

struct symbol_run {
	size_t first, end;		/* in all.items */
};

struct symbol_backlog {
	struct symbol_works all;
	VECTOR_STRUCT(symbol_runs, struct symbol_run) runs;	/* of all, once sorted */
	size_t left;			/* that nobody took */
	bool sorted;
};

void symbol_backlog_release(struct symbol_backlog *b);

void symbol_backlog_add(struct symbol_backlog *b, const struct symbol_work *items, size_t count);

/* Moves at most `most` addresses to *work: the newest ones, of any object, in order. */
void symbol_backlog_take_newest(struct symbol_backlog *b, size_t most, struct symbol_works *work);

/* Moves a share of one object's to *work, in order: of one that nobody works on, else of one that
 * splits.  False: there is none for one more thread. */
bool symbol_backlog_take_share(struct symbol_backlog *b, unsigned threads, struct symbol_works *work);

#endif
