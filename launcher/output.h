/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a trace goes: names, files, and what cannot be written directly. */
#ifndef LAUNCHER_OUTPUT_H
#define LAUNCHER_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/hold.h"

/* An opened output.  A trace always goes into a file that can be read again: what is no regular
 * file (stdout, a pipe, a viewer) is fed from an unlinked one (pump.h). */
struct output {
	int fd;			/* the file, for the session; the session closes it */
	int reader;		/* the same file, for pread() */
	int sink;		/* what the file is pumped to, or -1 */
	char *path;		/* of a regular file that stays; NULL: none */
	char mark[HOLD_MARK];	/* of that, if it is held while it is open; else "" */
};

/* The path of an output for process pid:
 *  spec NULL     memtrack.COMM.PID.mtk (or .txt) in the current directory
 *  otherwise     spec with %p (pid), %c (comm), %t (seconds since 1970), %% expanded
 * comm is made fit for a file name.  child: 0 the process that was started; else another one of
 * the run, the child'th with that pid: .PID is added where spec has no %p, and .N for the second and
 * later ones.  For the caller to free. */
char *output_expand(const char *spec, bool text, pid_t pid, const char *comm, unsigned child);

/* Opens it.  spec NULL: a new file is made, with a number appended when the name is taken, never
 * through a symbolic link; else the file is overwritten.  "-" is stdout.  0 or -errno;
 * *path_out is set (for messages) in any case, and is the caller's. */
int output_open(struct output *output, const char *spec, bool text, pid_t pid, const char *comm,
		unsigned child, char **path_out);

/* Makes a file that was not there, *path with a number appended when it is taken (*path is replaced
 * then), never through a symbolic link.  The descriptor, above 2, or -errno. */
int output_new_file(char **path);

/* Nothing at all. */
void output_none(struct output *output);

/* An unlinked temporary file only.  0 or -errno. */
int output_spool(struct output *output);

/* Closes what the session does not own. */
void output_release(struct output *output);

#endif
