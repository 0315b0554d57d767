/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unix socket by which commands reach the memtrack that traces a running process.
 *
 * It is called FOLDER/PID, PID being the traced process's; FOLDER is $XDG_RUNTIME_DIR/memtrack, else
 * /tmp/memtrack-UID, is the user's own and open to nobody else.  A client sends one line: "status", "detach" or a
 * command of wire/command.h; the answer is "ok" or "no" in a line of its own, then text for people up to the end.
 * PID may be that of the memtrack itself, which traces a family of processes from their start. */
#ifndef WIRE_CONTROL_H
#define WIRE_CONTROL_H

#include <stddef.h>
#include <sys/types.h>

#include "wire/command.h"

#define WIRE_CONTROL_PATH	108	/* sizeof sun_path */
#define WIRE_CONTROL_WORD	WIRE_COMMAND_LINE	/* room for a command's line */

/* Who is at the other end, as the kernel says. */
struct wire_peer {
	pid_t pid;
	uid_t uid;
};

/* Listens (non-blocking, close-on-exec) for commands about process `target`; path gets the socket's
 * name, which is the caller's to unlink.  runtime: XDG_RUNTIME_DIR or NULL.  A descriptor, or -errno:
 * -EADDRINUSE when somebody listens there already. */
int wire_control_listen(pid_t target, const char *runtime, char path[WIRE_CONTROL_PATH]);

/* Removes the sockets of this user that memtracks which were killed have left: those where nobody listens. */
void wire_control_sweep(const char *runtime);

/* The next client (non-blocking, close-on-exec).  A descriptor, or -errno. */
int wire_control_accept(int listener, struct wire_peer *peer);

/* Connects to the socket that user `uid` with that runtime folder made for `target`.  A descriptor, or
 * -errno. */
int wire_control_connect(pid_t target, uid_t uid, const char *runtime, struct wire_peer *peer);

/* A command's word as far as it has come. */
struct wire_control_word {
	char text[WIRE_CONTROL_WORD];
	size_t length;
};

/* Reads on from an accepted client.  0: it is all there, text is terminated in place of the newline.  -EAGAIN: more is
 * to come.  -errno otherwise, also at the end of the connection. */
int wire_control_read(int fd, struct wire_control_word *word);

/* Writes all of it; the other end may be gone.  0 or -errno. */
int wire_control_write(int fd, const char *text, size_t length);

#endif
