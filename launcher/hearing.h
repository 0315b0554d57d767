/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of viewers: read on the server's thread, obeyed by the main one. */
#ifndef LAUNCHER_HEARING_H
#define LAUNCHER_HEARING_H

#include <pthread.h>
#include <stdbool.h>

#include "base/vector.h"
#include "wire/command.h"

/* What waits for being obeyed. */
struct hearing {
	pthread_mutex_t lock;		/* guards orders */
	VECTOR(struct wire_command) orders;
	int bell;			/* eventfd, readable when there are orders */
};

/* One viewer's side. */
struct hearing_viewer {
	int fd;				/* somebody else's; -1: nothing is heard from it (any more) */
	struct wire_command_reader reader;
	bool pauses;			/* recording is paused by its wish, which ends with it */
};

/* 0 or -errno. */
int hearing_init(struct hearing *hearing);
void hearing_release(struct hearing *hearing);

/* Nobody who connects from elsewhere is listened to. */
void hearing_admit(struct hearing_viewer *viewer, int fd);

/* Reads what a viewer has sent, which does not wait. */
void hearing_read(struct hearing *hearing, struct hearing_viewer *viewer);

/* So many orders wait that viewers have to. */
bool hearing_is_full(struct hearing *hearing);

/* The next one; false: there is none. */
bool hearing_take(struct hearing *hearing, struct wire_command *command);

#endif
