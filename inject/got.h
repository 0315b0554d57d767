/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words in loaded objects by which a function is called: the slots of the procedure linkage table, of the
 * global offset table, and pointers in data.  For functions whose entry cannot be patched.
 *
 * What is missed: calls by pointers that the program computed or stored elsewhere (dlsym, ld.so's own), calls
 * inside an object that need no slot, and objects that are loaded later. */
#ifndef INJECT_GOT_H
#define INJECT_GOT_H

#include "inject/process.h"

struct got_target {
	size_t tag;			/* the caller's */
	uint64_t address;		/* of the function */
	const char *symbol;		/* its name: for slots that nobody has called by yet; NULL: leave these */
};

/* Calls each(arg, tag, address, value) for all words that lead there; value is what stands in them. */
typedef void got_fn(void *arg, size_t tag, uint64_t address, uint64_t value);
void got_find(struct injection *, const struct got_target *, size_t count, got_fn *each, void *arg);

#endif
