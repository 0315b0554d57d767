/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a stack is at a safe point: the rules. */
#ifndef INJECT_JUDGE_H
#define INJECT_JUDGE_H

#include "inject/threads.h"

struct judge;

enum verdict {
	VERDICT_SAFE,
	VERDICT_STEP,			/* it will be, once the function has returned */
	VERDICT_UNSAFE,			/* or not known */
};

struct step {
	uint64_t slot;			/* where the return address is */
	uint64_t onwards;		/* the return address */
};

int judge_open(struct injection *, struct judge **);
void judge_close(struct judge *);

/* Of a thread held at a plain stop; what is mapped is looked at anew when it has changed. */
enum verdict judge_thread(struct judge *, const struct thread *, struct step *);

#endif
