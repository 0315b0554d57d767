/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The preconditions of entering a process. */
#include "inject/refuse.h"

#include "inject/process.h"
#include "symbols/elf.h"
#include "symbols/living.h"
#include "symbols/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TELL(...)	snprintf(reason, INJECTION_REASON, __VA_ARGS__)

int refuse_process(pid_t pid, const struct process_status *s, char *reason)
{
	struct process_status tracer;

	if (pid == getpid())
		return TELL("that is memtrack itself"), -EINVAL;
	if (s->tgid != pid)
		return TELL("it is a thread of process %d: give that number", (int)s->tgid), -EINVAL;
	if ((s->state == 'Z' || s->state == 'X') && !living_thread(pid))
		return TELL("it has ended and waits for its parent to notice (a zombie)"), -ESRCH;
	if (s->flags & STATUS_KERNEL_THREAD)
		return TELL("it is a kernel thread: it has no heap"), -ENOTSUP;
	if (s->tracer == 0)
		return 0;
	if (status_read(s->tracer, 0, &tracer) == 0)
		TELL("it is already traced by %s (pid %d): end that first", tracer.name, (int)s->tracer);
	else
		TELL("it is already traced by process %d: end that first", (int)s->tracer);
	return -EBUSY;
}

static int judge_program(const struct elf_header_facts *facts, char *reason)
{
	if (facts->bits == 32 && facts->machine == 62)
		return TELL("it is an x32 program; memtrack is a 64-bit one"), -ENOTSUP;
	if (facts->bits == 32)
		return TELL("it is a 32-bit program; memtrack is a 64-bit one"), -ENOTSUP;
	if (!facts->native)
		return TELL("its program is for another CPU than memtrack (is it run by an emulator?)"), -ENOTSUP;
	return 0;
}

int refuse_program(pid_t pid, char *reason)
{
	struct elf_file *file;
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	rc = elf_file_open(path, &file);
	if (rc)
		return 0;	/* the permission to do more will be refused too, and explained */
	rc = judge_program(elf_facts(file), reason);
	elf_file_close(file);
	return rc;
}

/* The number in a one-line file; -1: there is none. */
static long number_in(const char *path)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

static bool other_user_namespace(pid_t pid)
{
	char path[48], ours[64] = "", theirs[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return readlink("/proc/self/ns/user", ours, sizeof(ours) - 1) > 0 &&
	       readlink(path, theirs, sizeof(theirs) - 1) > 0 && strcmp(ours, theirs) != 0;
}

static bool same_user(const struct process_status *s, uid_t uid)
{
	return s->uid[0] == uid && s->uid[1] == uid && s->uid[2] == uid;
}

int refuse_permission(pid_t pid, const struct process_status *s, char *reason)
{
	struct process_status self;
	char path[32];
	struct stat st;
	long yama = number_in("/proc/sys/kernel/yama/ptrace_scope");

	if (status_read(getpid(), 0, &self))
		memset(&self, 0, sizeof(self));
	/* Files of a process that is not dumpable are root's. */
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	if (self.permitted & 1ull << CAP_SYS_PTRACE) {
		if (yama == 3)
			TELL("kernel.yama.ptrace_scope is 3: nobody may attach until the next boot");
		else if (other_user_namespace(pid))
			TELL("it runs in a user namespace that this one has no power over: run memtrack outside of it, as root");
		else
			TELL("a security module or the sandbox of a container forbids it: run memtrack outside of that, as the host's root");
	} else if (geteuid() == 0) {
		TELL("memtrack's root has no CAP_SYS_PTRACE: give it that (docker run --cap-add SYS_PTRACE), or run it on the host");
	} else if (!same_user(s, geteuid())) {
		TELL("it runs as user %u, memtrack as user %u: run memtrack as that user or as root (CAP_SYS_PTRACE)",
		     s->uid[1], (unsigned)geteuid());
	} else if (yama >= 1) {
		TELL("kernel.yama.ptrace_scope is %ld: run memtrack as root, or start the program under memtrack", yama);
	} else if (s->permitted & ~self.permitted) {
		TELL("it has capabilities that memtrack has not: run memtrack as root");
	} else if (other_user_namespace(pid)) {
		TELL("it runs in another user namespace: run memtrack in there, or as root outside");
	} else if (stat(path, &st) == 0 && st.st_uid != geteuid()) {
		TELL("it is protected against tracing (setuid, or PR_SET_DUMPABLE 0): run memtrack as root");
	} else {
		TELL("the kernel does not allow it: run memtrack as root (in a container: with CAP_SYS_PTRACE)");
	}
	return -EPERM;
}

int refuse_preloaded(pid_t pid, char *reason)
{
	struct maps maps;
	bool found = false;

	if (maps_read(pid, &maps) != 0)
		return 0;
	for (size_t k = 0; k < maps.count && !found; k++) {
		const char *name = maps.items[k].name, *base = strrchr(name, '/');

		/* What an earlier attach left came by a memfd: "/memfd:memtrack.so". */
		found = base && strcmp(base, "/memtrack.so") == 0;
	}
	maps_release(&maps);
	return found ? TELL("it is already traced by memtrack from its start"), -EBUSY : 0;
}

int refuse_confined(const struct process_status *s, bool leaving, bool *suspended, char *reason)
{
	struct process_status self;

	*suspended = status_read(getpid(), 0, &self) == 0 && (self.permitted & 1ull << CAP_SYS_ADMIN) &&
		     self.seccomp == 0;
	if (s->seccomp == STATUS_SECCOMP_STRICT && !leaving)
		return TELL("it is in seccomp's strict mode, in which the hook would get it killed: a hook needs futex"), -ENOTSUP;
	if (!s->seccomp || *suspended)
		return 0;
	TELL("it is confined by seccomp and might be killed for a system call of ours: run memtrack as root, outside of any sandbox");
	return -EPERM;
}
