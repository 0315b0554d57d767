/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of which only so much is resident: what goes beyond lies in a file without a name.
 *
 *	young pieces            old pieces
 *	[ memory ][ memory ]    [ file, mapped and resident ][ file ][ file ] ...
 *	|--- 2/3 of budget --|  |---- 1/3 of budget --------|
 *
 * A piece never moves, in memory or not, and is read and written as any memory.  When pieces in
 * memory are too many, the oldest goes to the file, at the same address; from there the kernel
 * fetches what is touched, and spill_trim() lets go of it again.  Space in the file is reserved
 * before a page of it is mapped, so a full disk is an answer here and no signal later.
 *
 * The file is made when it is needed first, in $TMPDIR, /var/tmp or /tmp, whichever is on a disk
 * where space can be reserved.  Where there is none, all stays in memory, and spill_message()
 * says so.  Not for more than one thread at a time. */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stddef.h>
#include <stdint.h>

struct spill;

/* budget: bytes that may be resident; 0: all of it.  folder: for the file, NULL: those above. */
struct spill *spill_new(size_t budget, const char *folder);
/* And all pieces. */
void spill_free(struct spill *spill);

/* size bytes, zeroed, page-aligned; the caller's until spill_put() or spill_free().  NULL: no memory. */
void *spill_get(struct spill *spill, size_t size);
void spill_put(struct spill *spill, void *piece);

/* Lets go of what pieces in the file take beyond the budget.  To be called now and then; costs a
 * few microseconds when there is nothing to do. */
void spill_trim(struct spill *spill);

/* What lies at `at` in a piece is about to be looked at.  Not needed, but where many such looks come
 * close to each other, 2 MiB are fetched at once, which spares a fault for each page. */
void spill_touch(struct spill *spill, const void *at);

/* Bytes in the file so far. */
uint64_t spill_aside(const struct spill *spill);

/* Why what should be in a file is in memory, in a sentence; "": all is well. */
const char *spill_message(const struct spill *spill);

#endif
