/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Signals of the viewer: noted by handlers, acted on by the main loop; only a crash, or a second
 * request to end, restores the terminal from inside a handler. */
#ifndef MEMVIEW_INTERRUPTS_H
#define MEMVIEW_INTERRUPTS_H

#include <poll.h>
#include <stddef.h>
#include <termios.h>

enum interrupt {
	INTERRUPT_RESIZE = 1,	/* SIGWINCH */
	INTERRUPT_STOP = 2,	/* SIGTSTP: the user pressed Ctrl-Z */
	INTERRUPT_CONTINUE = 4,	/* SIGCONT: somebody may have changed the terminal */
	INTERRUPT_END = 8,	/* any signal that asks to end */
};

/* Installs the handlers; signals that were ignored stay ignored.  Before the terminal is
 * started, so that ncurses leaves them alone.  0 or -errno. */
int interrupts_install(void);

/* Waits for one of fds, a signal or the time (ms); like poll(), but a signal makes it return 0. */
int interrupts_wait(struct pollfd *fds, size_t count, int timeout_ms);

/* The signals (enum interrupt bits) since the last call. */
unsigned interrupts_take(void);

/* Stops this process as Ctrl-Z would have; returns when it is continued. */
void interrupts_stop_self(void);

/* The one that asked to end, 0: none; and as if it had not. */
int interrupts_end_signal(void);
void interrupts_forgive(void);

/* Ends this process by the signal that asked for it; returns only when there was none. */
void interrupts_end_self(void);

/* From now on a crash writes these bytes to fd and sets these modes before it dies.  The bytes
 * are copied.  bytes == NULL: the terminal is sane again, nothing to restore. */
void interrupts_guard(int fd, const struct termios *modes, const char *bytes, size_t length);

/* The same bytes: at most size of them; how many. */
size_t interrupts_guarded(char *bytes, size_t size);

#endif
