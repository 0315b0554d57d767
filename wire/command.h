/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a viewer may ask of the launcher that serves it, on the connection that brings the trace.
 *
 * The viewer sends lines, the first of them WIRE_COMMAND_HELLO; the answers are records of the trace, for all
 * viewers and the file.  A launcher that takes commands says so by the fact "commands".
 *
 *	mark [NAME]	a marker, with any name that has no control characters
 *	pause  resume	of the recording
 *	snapshot	of the live heap, into a file
 *
 * Whatever else comes ends the commands of that viewer: also what a browser sends, made to connect by
 * some page, and everything behind it. */
#ifndef WIRE_COMMAND_H
#define WIRE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define WIRE_COMMAND_VERSION	1
#define WIRE_COMMAND_HELLO	"memtrack commands 1"
#define WIRE_COMMAND_NAME	128u	/* room for a name, its NUL included */
#define WIRE_COMMAND_LINE	160u	/* room for a line, its newline included */

/* X(id, word): one command each. */
#define WIRE_COMMANDS(X) \
	X(MARK, "mark") \
	X(PAUSE, "pause") \
	X(RESUME, "resume") \
	X(SNAPSHOT, "snapshot")

enum wire_command_kind {
#define X(id, word) WIRE_##id,
	WIRE_COMMANDS(X)
#undef X
};

struct wire_command {
	enum wire_command_kind kind;
	char name[WIRE_COMMAND_NAME];	/* of a marker; may be empty */
};

/* A line without its newline.  0, or -EINVAL when it is no command, or a name is too long or has control
 * characters in it. */
int wire_command_parse(const char *line, size_t length, struct wire_command *command);

/* The line with its newline, terminated.  Its length. */
size_t wire_command_format(const struct wire_command *command, char line[WIRE_COMMAND_LINE + 1]);

/* Takes a name that a user has typed: control characters become blanks, and what is too long is cut where no
 * character of UTF-8 is broken. */
void wire_command_name(struct wire_command *command, const char *name);

/* The launcher's end.  All zeros: nothing has come yet. */
struct wire_command_reader {
	char line[WIRE_COMMAND_LINE];
	size_t length;
	bool greeted;			/* the first line was right */
};

/* Takes bytes from *at on, up to the end of the next command: 1 and *command; 0 when all are taken and none is
 * complete; -EPROTO: this viewer has none any more. */
int wire_command_read(struct wire_command_reader *reader, const char **at, const char *end,
		      struct wire_command *command);

/* Is the other end of a connected socket on the machine itself (127.0.0.0/8, ::1, a unix socket)?  Commands are taken
 * from no other. */
bool wire_command_peer_is_near(int fd);

#endif
