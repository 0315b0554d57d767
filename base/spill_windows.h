/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a mapped file that are fetched into memory as a whole, for base/spill.c.
 *
 * A page of a file that is touched costs a fault, and one more when it has been let go of.  Where many
 * are touched in one window of 2 MiB, all of it is read at once, into a huge page at the same address,
 * and written back when another window is wanted more. */
#ifndef BASE_SPILL_WINDOWS_H
#define BASE_SPILL_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SPILL_WINDOW	((size_t)2 << 20)

struct spill_windows;

/* max: bytes that may be fetched at a time; two windows always may. */
struct spill_windows *spill_windows_new(size_t max);
void spill_windows_free(struct spill_windows *w);

/* size bytes at `at` are mapped from fd at offset.  What is no whole window is left out. */
void spill_windows_add(struct spill_windows *w, char *at, size_t size, int fd, off_t offset);
/* They are to be unmapped, as they are. */
void spill_windows_remove(struct spill_windows *w, const char *at, size_t size);

/* What lies at `at` is about to be looked at, or written to.  The address may be any. */
void spill_windows_touch(struct spill_windows *w, const void *at);

/* Lets go of the file's pages there; what is fetched stays. */
void spill_windows_let_go(const struct spill_windows *w, char *at, size_t size);

/* All go back to the file, which is to be closed.  False: one could not, and stays. */
bool spill_windows_close(struct spill_windows *w);

/* Bytes that are fetched now. */
size_t spill_windows_bytes(const struct spill_windows *w);

/* Fresh memory; NULL: there is none.  Huge pages, where the kernel has some and size is a multiple of a window: touching
 * small ones one by one costs more than all the rest of making a record. */
void *spill_map(size_t size);

/* In small parts: what is written at once the kernel keeps as one, and maps as one when a byte of it
 * is touched. */
bool spill_write(int fd, const char *data, size_t size, off_t at);

#endif
