/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts of a run, for the head of its trace. */
#ifndef LAUNCHER_FACTS_H
#define LAUNCHER_FACTS_H

#include <sys/types.h>

#include "launcher/kin.h"
#include "launcher/launch.h"
#include "launcher/session.h"

#define FACTS_MAX	32

struct facts {
	struct session_fact items[FACTS_MAX];
	size_t count;
	char text[FACTS_MAX][320];	/* values made here */
	char *command;
};

/* Fills in what is known before the process executes; pid is traced by `launch`. */
void facts_init(struct facts *facts, const struct launch *launch, pid_t pid, const struct kin *kin);

/* With -f: its place in the run; the strings stay the caller's.  root_name NULL: it is the root. */
void facts_add_kin(struct facts *facts, const struct kin *kin, pid_t root, const char *root_name,
		   const char *root_trace);
/* Of a file that is held (base/hold.h) its mark, which stays the caller's; "": it is not. */
void facts_add_writer(struct facts *facts, const char *mark);

/* What a process was called with, as text for a fact; NULL when it is gone.  For the caller to free. */
char *facts_command(pid_t pid);

void facts_release(struct facts *facts);

#endif
