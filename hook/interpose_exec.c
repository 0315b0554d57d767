/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exec and posix_spawn: the traced process stays traced through exec, its children only if they
 * are followed; those that are not are counted and named. */
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hook/children.h"
#include "hook/clock.h"
#include "hook/core.h"
#include "hook/environment.h"
#include "hook/other.h"
#include "hook/standalone.h"

#define EXPORT __attribute__((visibility("default"), noinline))
#define PC() ((uintptr_t)__builtin_return_address(0))

extern char **environ __attribute__((weak));

static char **current_environment(void)
{
	return &environ ? environ : NULL;
}

/* The environment to execute path with: envp, or a copy that carries the session when this very
 * process is traced and hid it.  *kept says that environment_give_back is due on failure. */
static char **exec_environment(const char *path, char *const *envp, bool *kept)
{
	char **with = NULL;
	uint32_t pid;

	*kept = false;
	if (!hook.region)
		return (char **)envp;
	pid = (uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0);
	if (pid == hook.pid && hook.state != HOOK_ON)
		return (char **)envp;
	if (hook.follow) {
		children_tell(NOTE_EXEC, pid, path, environment_carries(envp), hook_stamp());
		return (char **)envp;
	}
	if (hook.standalone && pid == hook.pid)
		standalone_exec();
	if (pid == hook.pid && core_recording())
		with = environment_with_session(envp);
	if (with) {
		*kept = true;
		return with;
	}
	if (!environment_carries(envp))
		children_note(pid, path ? path : "(fexecve)");
	return (char **)envp;
}

static void exec_failed(bool kept)
{
	if (!kept)
		return;
	environment_give_back();
	if (hook.standalone)
		standalone_exec_failed();
}

typedef int execve_fn(const char *, char *const *, char *const *);
typedef int fexecve_fn(int, char *const *, char *const *);
typedef int execveat_fn(int, const char *, char *const *, char *const *, int);

static int do_exec(enum other which, const char *path, char *const *argv, char *const *envp,
		   uintptr_t pc)
{
	execve_fn *real = (execve_fn *)other_real(which, pc);
	bool kept;
	char **with;
	int r;

	if (!real)
		return -1;
	with = exec_environment(path, envp, &kept);
	r = real(path, argv, with);
	exec_failed(kept);
	return r;
}

EXPORT int execve(const char *path, char *const *argv, char *const *envp);
EXPORT int execve(const char *path, char *const *argv, char *const *envp)
{
	return do_exec(OTHER_execve, path, argv, envp, PC());
}

EXPORT int execv(const char *path, char *const *argv);
EXPORT int execv(const char *path, char *const *argv)
{
	return do_exec(OTHER_execve, path, argv, current_environment(), PC());
}

EXPORT int execvpe(const char *file, char *const *argv, char *const *envp);
EXPORT int execvpe(const char *file, char *const *argv, char *const *envp)
{
	return do_exec(OTHER_execvpe, file, argv, envp, PC());
}

EXPORT int execvp(const char *file, char *const *argv);
EXPORT int execvp(const char *file, char *const *argv)
{
	return do_exec(OTHER_execvpe, file, argv, current_environment(), PC());
}

EXPORT int fexecve(int fd, char *const *argv, char *const *envp);
EXPORT int fexecve(int fd, char *const *argv, char *const *envp)
{
	fexecve_fn *real = (fexecve_fn *)other_real(OTHER_fexecve, PC());
	bool kept;
	char **with;
	int r;

	if (!real)
		return -1;
	with = exec_environment(NULL, envp, &kept);
	r = real(fd, argv, with);
	exec_failed(kept);
	return r;
}

EXPORT int execveat(int fd, const char *path, char *const *argv, char *const *envp, int flags);
EXPORT int execveat(int fd, const char *path, char *const *argv, char *const *envp, int flags)
{
	execveat_fn *real = (execveat_fn *)other_real(OTHER_execveat, PC());
	bool kept;
	char **with;
	int r;

	if (!real)
		return -1;
	with = exec_environment(path, envp, &kept);
	r = real(fd, path, argv, with, flags);
	exec_failed(kept);
	return r;
}

/* The variadic forms: the arguments are gathered on this frame, as libc does it. */
#define GATHER(argv, first, list) \
	size_t count = 1; \
	char **argv; \
\
	va_start(list, first); \
	while (va_arg(list, char *)) \
		count++; \
	va_end(list); \
	argv = __builtin_alloca((count + 1) * sizeof *argv); \
	argv[0] = (char *)first; \
	va_start(list, first); \
	for (size_t i = 1; i <= count; i++) \
		argv[i] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *first, ...);
EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;
	GATHER(argv, first, list);

	va_end(list);
	return do_exec(OTHER_execve, path, argv, current_environment(), PC());
}

EXPORT int execlp(const char *file, const char *first, ...);
EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	GATHER(argv, first, list);

	va_end(list);
	return do_exec(OTHER_execvpe, file, argv, current_environment(), PC());
}

EXPORT int execle(const char *path, const char *first, ...);
EXPORT int execle(const char *path, const char *first, ...)
{
	va_list list;
	char *const *envp;
	GATHER(argv, first, list);

	envp = va_arg(list, char *const *);
	va_end(list);
	return do_exec(OTHER_execve, path, argv, envp, PC());
}

typedef int posix_spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const *, char *const *);

static int do_spawn(enum other which, pid_t *pid, const char *path,
		    const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		    char *const *argv, char *const *envp, uintptr_t pc)
{
	posix_spawn_fn *real = (posix_spawn_fn *)other_real(which, pc);
	uint64_t before = core_recording() ? hook_stamp() : 0;
	pid_t own = 0;
	int r;

	if (!real)
		return 38 /* ENOSYS */;
	r = real(pid ? pid : &own, path, actions, attributes, argv, envp);
	if (r != 0 || !core_recording())
		return r;
	if (hook.follow)
		children_tell(NOTE_SPAWN, (uint32_t)(pid ? *pid : own), path, environment_carries(envp),
			      before);
	else if (!environment_carries(envp))
		children_note((uint32_t)(pid ? *pid : own), path);
	return r;
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
	return do_spawn(OTHER_posix_spawn, pid, path, actions, attributes, argv, envp, PC());
}

EXPORT int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
	return do_spawn(OTHER_posix_spawnp, pid, path, actions, attributes, argv, envp, PC());
}

/* libc makes their child by itself, and nobody learns its pid.  With -f it is traced like any other. */
static void note_shell(void)
{
	if (core_recording() && !hook.follow)
		children_note(0, "sh");
}

EXPORT int system(const char *command);
EXPORT int system(const char *command)
{
	int (*real)(const char *) = (int (*)(const char *))other_real(OTHER_system, PC());
	int r = real ? real(command) : -1;

	if (command && r != -1)
		note_shell();
	return r;
}

EXPORT void *popen(const char *command, const char *type);
EXPORT void *popen(const char *command, const char *type)
{
	void *(*real)(const char *, const char *) =
		(void *(*)(const char *, const char *))other_real(OTHER_popen, PC());
	void *file = real ? real(command, type) : NULL;

	if (file)
		note_shell();
	return file;
}
