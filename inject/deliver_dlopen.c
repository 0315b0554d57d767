/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook by the target's own dlopen, called by a thread at a safe point while the others run. */
#include "inject/deliver_ways.h"

#include "inject/memory.h"
#include "inject/remote.h"
#include "inject/safe.h"
#include "inject/state.h"
#include "symbols/elf.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SAFE_MS		3000
#define CALL_MS		1000
#define DLOPEN_MS	10000
#define FLAG		"memtrack_injected"

#define TELL(...)	snprintf(reason, INJECTION_REASON, __VA_ARGS__)

struct functions {
	uint64_t open, error, errno_location;
};

struct opening {
	struct injection *i;
	struct thread *thread;
	uint8_t *file;			/* what is to be loaded */
	size_t file_size;
	struct functions functions;
	uint64_t errno_at;
	int errno_before;
};

/* From the program's own libc: dlopen was in libdl until glibc 2.34. */
static int find_functions(struct injection *i, const struct object_list *objects, struct functions *f)
{
	bool libc = false;

	memset(f, 0, sizeof(*f));
	for (size_t k = 0; k < objects->count; k++) {
		const struct object *o = &objects->items[k];

		if (object_is_glibc(o->name))
			libc = true;
		else if (strncmp(o->name, "libdl", 5) != 0)
			continue;
		if (!f->open)
			object_symbol(i, o, "dlopen", &f->open);
		if (!f->error)
			object_symbol(i, o, "dlerror", &f->error);
		if (!f->errno_location)
			object_symbol(i, o, "__errno_location", &f->errno_location);
	}
	return libc && f->open && f->error && f->errno_location ? 0 : -ENOENT;
}

/* So that the copy in the target knows that it was not preloaded. */
static void raise_flag(const char *path, uint8_t *data, size_t size)
{
	const uint32_t one = 1;
	struct elf_symbol symbol;
	struct elf_file *file;
	uint64_t offset;

	if (elf_file_open(path, &file) != 0)
		return;
	if (elf_find_symbol(file, FLAG, &symbol) == 0 && elf_vaddr_to_offset(file, symbol.vaddr, &offset) == 0 &&
	    offset + sizeof(one) <= size)
		memcpy(data + offset, &one, sizeof(one));
	elf_file_close(file);
}

static int write_all(int fd, const uint8_t *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, data + done, size - done, (off_t)done);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

static int read_file(struct opening *o, const char *path, char *reason)
{
	int rc = deliver_read_file(path, &o->file, &o->file_size);

	if (rc)
		TELL("cannot read %.200s: %s", path, strerror(-rc));
	else
		raise_flag(path, o->file, o->file_size);
	return rc;
}

static int make_file(struct opening *o, int *remote_fd, char *reason)
{
	int fd, rc = deliver_memfd(o->i, o->thread, DELIVER_NAME, MFD_CLOEXEC, 0, remote_fd, &fd, reason);

	if (rc)
		return rc;
	rc = write_all(fd, o->file, o->file_size);
	close(fd);
	if (rc) {
		TELL("cannot write the hook into it: %s", strerror(-rc));
		deliver_close(o->i, o->thread, *remote_fd);
	}
	return rc;
}

static int keep_errno(struct opening *o)
{
	const uint64_t none[6] = { 0 };
	int rc = remote_call(o->i, o->thread, o->functions.errno_location, none, &o->errno_at, CALL_MS);

	return rc ? rc : memory_read(o->i, o->errno_at, &o->errno_before, sizeof(o->errno_before));
}

/* What dlerror says about the call just made. */
static void fetch_error(struct opening *o, char *reason)
{
	const uint64_t none[6] = { 0 };
	char text[INJECTION_REASON - 32] = "";
	uint64_t at = 0;

	if (remote_call(o->i, o->thread, o->functions.error, none, &at, CALL_MS) == 0 && at)
		memory_read_string(o->i, at, text, sizeof(text));
	TELL("its dlopen says: %s", *text ? text : "nothing");
}

static int call_dlopen(struct opening *o, int remote_fd, uint64_t *base, char *reason)
{
	/* glibc compares names first: this spelling is nobody else's.  The main thread may have
	 * ended: only this one has descriptors for sure. */
	uint64_t arguments[6] = { 0, RTLD_NOW }, handle = 0;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/thread-self/./fd/./%d", remote_fd);
	rc = remote_scratch(o->i, o->thread, sizeof(path), &arguments[0]);
	rc = rc ? rc : memory_write(o->i, arguments[0], path, sizeof(path));
	rc = rc ? rc : remote_call(o->i, o->thread, o->functions.open, arguments, &handle, DLOPEN_MS);
	if (rc == -ETIMEDOUT)
		TELL("its dlopen has waited %d s for a lock; thread %d was let go and will finish it; try again later",
		     DLOPEN_MS / 1000, (int)o->thread->tid);
	else if (rc == -EFAULT)
		TELL("its dlopen crashed; the thread was put back where it was");
	else if (rc)
		TELL("cannot call its dlopen: %s", strerror(-rc));
	if (rc)
		return rc;
	if (!handle) {
		fetch_error(o, reason);
		return -ENOEXEC;
	}
	/* The handle is the object's link_map, which starts with the bias. */
	rc = memory_read(o->i, handle, base, sizeof(*base));
	if (rc)
		TELL("its dlopen gave a handle that cannot be read");
	return rc;
}

static int load(struct opening *o, uint64_t *base, bool *called, char *reason)
{
	int remote_fd, rc = make_file(o, &remote_fd, reason);

	if (rc)
		return rc;
	rc = keep_errno(o);
	if (rc) {
		TELL("cannot call a function in it: %s", strerror(-rc));
	} else {
		*called = true;
		rc = call_dlopen(o, remote_fd, base, reason);
	}
	if (o->thread->state == THREAD_STOPPED) {
		if (o->errno_at)
			memory_write(o->i, o->errno_at, &o->errno_before, sizeof(o->errno_before));
		deliver_close(o->i, o->thread, remote_fd);
	}
	return rc;
}

int deliver_dlopen(struct injection *i, const struct object_list *objects, const char *so_path, uint64_t *base,
		   bool *called, char reason[INJECTION_REASON])
{
	struct opening o = { .i = i };
	int rc;

	if (find_functions(i, objects, &o.functions) != 0)
		return TELL("it has no dlopen"), -ENOENT;
	rc = read_file(&o, so_path, reason);
	rc = rc ? rc : safe_thread(i, SAFE_MS, &o.thread, reason);
	if (rc == 0) {
		rc = load(&o, base, called, reason);
		thread_release(o.thread);
	}
	free(o.file);
	return rc;
}
