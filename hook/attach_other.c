/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is loaded, and what the process or its children execute.  posix_spawn, system, popen and the other faces of exec all come by
 * the three below. */
#include <stddef.h>
#include <stdint.h>

#include "hook/children.h"
#include "hook/clock.h"
#include "hook/core.h"
#include "hook/entry.h"
#include "hook/loads.h"

typedef void debug_state_fn(uintptr_t);

/* The loader calls it for debuggers, whenever it has changed its lists. */
ENTRY_VOID(_dl_debug_state, uintptr_t unused)
{
	(void)caller;
	((debug_state_fn *)real)(unused);
	if (core_recording())
		loads_look();
}

/* The process itself: the trace ends there, and says at what.  A child (of fork, or one that shares this
 * memory) is not traced, and counted. */
static void note_exec(const char *path)
{
	uint32_t pid;

	if (!hook.region || hook.state != HOOK_ON)
		return;
	pid = (uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0);
	if (hook.follow || pid == hook.pid)
		children_tell(NOTE_EXEC, pid, path, false, hook_stamp());
	else
		children_note(pid, path ? path : "(fexecve)");
}

typedef int execve_fn(const char *, char *const *, char *const *);
typedef int execveat_fn(int, const char *, char *const *, char *const *, int);
typedef int fexecve_fn(int, char *const *, char *const *);

ENTRY(int, execve, const char *path, char *const *argv, char *const *envp)
{
	(void)caller;
	note_exec(path);
	return ((execve_fn *)real)(path, argv, envp);
}

ENTRY(int, execveat, int fd, const char *path, char *const *argv, char *const *envp, int flags)
{
	(void)caller;
	note_exec(path);
	return ((execveat_fn *)real)(fd, path, argv, envp, flags);
}

ENTRY(int, fexecve, int fd, char *const *argv, char *const *envp)
{
	(void)caller;
	note_exec(NULL);
	return ((fexecve_fn *)real)(fd, argv, envp);
}
