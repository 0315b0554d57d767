/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts of a run, for the head of its trace. */
#ifndef LAUNCHER_FACTS_H
#define LAUNCHER_FACTS_H

#include <sys/types.h>

#include "launcher/launch.h"
#include "launcher/session.h"

#define FACTS_MAX	16

struct facts {
	struct session_fact items[FACTS_MAX];
	size_t count;
	char text[12][320];	/* values made here */
	char *command;
};

/* Fills in what is known before the process executes; pid is traced by `launch`. */
void facts_init(struct facts *facts, const struct launch *launch, pid_t pid);
void facts_release(struct facts *facts);

#endif
