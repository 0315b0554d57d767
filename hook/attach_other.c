/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of functions that allocate nothing: names, unloading, what children execute.  posix_spawn,
 * system, popen and the other faces of exec all come by the three below. */
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "hook/children.h"
#include "hook/clock.h"
#include "hook/core.h"
#include "hook/entry.h"
#include "hook/thread.h"
#include "hook/unwind.h"

ENTRY(int, dlclose, void *handle)
{
	int r = ((int (*)(void *))real)(handle);

	(void)caller;
	if (r == 0 && core_recording() && hook.depth)
		unwind_modules_changed();
	return r;
}

ENTRY(int, pthread_setname_np, uintptr_t thread, const char *name)
{
	int r = ((int (*)(uintptr_t, const char *))real)(thread, name);
	uint32_t tid = r == 0 && core_recording() ? thread_tid_of(thread) : 0;

	(void)caller;
	if (tid)
		thread_set_name(thread == raw_control_block() ? 0 : tid, name);
	return r;
}

typedef int prctl_fn(int, unsigned long, unsigned long, unsigned long, unsigned long);

ENTRY(int, prctl, int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	int r = ((prctl_fn *)real)(option, a, b, c, d);

	(void)caller;
	if (r == 0 && option == PR_SET_NAME)
		thread_set_name(0, (const char *)a);
	return r;
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
