/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtrack --view and the memview it starts in the same terminal: what the exit status of memview
 * tells.  Its options for this are --stream, --ready and --target-output (memview/options.h). */
#ifndef WIRE_VIEWER_H
#define WIRE_VIEWER_H

/* In the environment of the memtrack --pid that memview starts: "1", its standard output is a socket on which
 * commands may come (wire/command.h). */
#define VIEWER_COMMANDS "MEMTRACK_COMMANDS"

enum viewer_wish {
	VIEWER_LEAVES = 0,	/* the program goes on, traced, or has ended */
	VIEWER_CANNOT = 2,	/* no terminal, no trace */
	VIEWER_DETACHES = 3,	/* the program is to go on untraced */
	VIEWER_KILLS = 4,	/* the program is to end */
};

#endif
