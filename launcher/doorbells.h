/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sleeping on several futexes at once: each family's doorbell and the drain's own. */
#ifndef LAUNCHER_DOORBELLS_H
#define LAUNCHER_DOORBELLS_H

#include <stdatomic.h>
#include <stdint.h>

#define DOORBELLS_MAX	128u	/* what the kernel takes; further ones are heard when the nap is over */

struct doorbells {
	unsigned count;
	struct {
		_Atomic uint32_t *word;
		uint32_t value;		/* as it was when it was added */
	} items[DOORBELLS_MAX];
};

void doorbells_add(struct doorbells *b, _Atomic uint32_t *word);

/* Until one of the words is not what it was, or time is over. */
void doorbells_wait(const struct doorbells *b, uint64_t timeout_ns);

/* Wakes who waits for the word, in any process. */
void doorbell_wake(_Atomic uint32_t *word);

#endif
