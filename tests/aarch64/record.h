/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks written down, to be unwound elsewhere.  A file's lines, all numbers in hexadecimal:
 *
 *	object START END HEADER		the program; where its .eh_frame_hdr is
 *	bytes ADDRESS DIGITS		of its .eh_frame_hdr and .eh_frame
 *	stack PC SP FP HIGH NAME	a stack begins: where the capture began, the end of the memory
 *	words ADDRESS VALUE ...		of it, those that are not 0
 *	frame PC EXACT			innermost first
 *	root N				how it ended */
#ifndef TESTS_AARCH64_RECORD_H
#define TESTS_AARCH64_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct capture;

/* path NULL: nothing is recorded.  Else one stack of `every`. */
void record_open(const char *path, unsigned every);
void record_stack(const char *name, size_t offset, const struct capture *c, uintptr_t high);
void record_close(void);

#endif
