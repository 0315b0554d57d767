/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MEMTRACK_SOCKET and LD_PRELOAD in the environment: found at start, hidden from children when
 * they are not followed, put back when this process executes another image. */
#ifndef HOOK_ENVIRONMENT_H
#define HOOK_ENVIRONMENT_H

#include <stdbool.h>

struct environment_session {
	const char *socket;	/* value of MEMTRACK_SOCKET */
	char *preload;		/* the whole LD_PRELOAD entry; NULL: the hook came in otherwise */
};

/* Looks for a session in envp and keeps a copy of both entries. False when there is none. */
bool environment_take(char **envp, struct environment_session *session);

/* The same for a hook that runs alone: entry (NAME=VALUE, static) stands for the session, and what
 * named the log is taken out of envp. */
void environment_take_alone(char **envp, const char *entry, struct environment_session *session);

/* Takes both out of envp, in place; what the user had in LD_PRELOAD stays. */
void environment_hide(char **envp, const struct environment_session *session);

/* Does envp carry the session? */
bool environment_carries(char *const *envp);

/* An environment like envp that also carries the session; static storage, so only one at a time:
 * give it back if the exec fails. NULL when it is in use or envp is too long. */
char **environment_with_session(char *const *envp);
void environment_give_back(void);

#endif
