/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that are wrapped though they allocate nothing: one row each, X(symbol).  They
 * keep the picture true: names, modules, new images, children. */
#ifndef HOOK_OTHER_H
#define HOOK_OTHER_H

#include <stdint.h>

#define HOOK_OTHERS(X) \
	X(dlclose) \
	X(pthread_setname_np) \
	X(prctl) \
	X(mlockall) \
	X(execve) \
	X(execv) \
	X(execvp) \
	X(execvpe) \
	X(execl) \
	X(execlp) \
	X(execle) \
	X(fexecve) \
	X(execveat) \
	X(posix_spawn) \
	X(posix_spawnp) \
	X(system) \
	X(popen) \
	X(_exit) \
	X(_Exit) \
	X(quick_exit) \
	X(abort)

enum other {
#define X(symbol) OTHER_##symbol,
	HOOK_OTHERS(X)
#undef X
	OTHER_END,
};

/* The real function; NULL where libc has none. */
void *other_real(enum other which, uintptr_t pc);

#endif
