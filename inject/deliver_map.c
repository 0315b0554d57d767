/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook's freestanding form, mapped by remote system calls.
 *
 * A memory file gets the object as it is to stand in memory, relocated; then its parts are mapped
 * from there, each with its final protection: nothing is ever made executable that was writable. */
#include "inject/deliver_ways.h"

#include "inject/elf_image.h"
#include "inject/remote.h"
#include "inject/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TELL(...)	snprintf(reason, INJECTION_REASON, __VA_ARGS__)

struct mapping {
	struct injection *i;
	const struct object_list *objects;
	struct thread *thread;
	struct elf_image image;
	int remote_fd, local_fd;
};

static uint64_t want(const char *name, void *argument)
{
	struct mapping *m = argument;
	uint64_t address = 0;

	return objects_symbol(m->i, m->objects, name, &address) == 0 ? address : 0;
}

/* mmap in the target: 0 and *at, or -errno. */
static int remote_mmap(struct mapping *m, uint64_t *at, uint64_t size, int protection, int flags, uint64_t offset)
{
	const uint64_t arguments[6] = { *at, size, (uint64_t)protection, (uint64_t)flags, (uint64_t)m->remote_fd,
					offset };

	return remote_ask(m->i, m->thread, SYS_mmap, arguments, at);
}

static void remote_munmap(struct mapping *m, uint64_t at, uint64_t size)
{
	const uint64_t arguments[6] = { at, size };

	remote_ask(m->i, m->thread, SYS_munmap, arguments, NULL);
}

static int write_image(struct mapping *m)
{
	for (uint64_t done = 0; done < m->image.size;) {
		ssize_t n = pwrite(m->local_fd, m->image.bytes + done, m->image.size - done, (off_t)done);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (uint64_t)n;
	}
	return 0;
}

/* Each part over its place. */
static int map_all(struct mapping *m, uint64_t base)
{
	struct remote_system calls[ELF_IMAGE_PARTS];
	int rc;

	for (size_t k = 0; k < m->image.part_count; k++) {
		const struct elf_part *part = &m->image.parts[k];

		calls[k] = (struct remote_system){ SYS_mmap,
			{ base + part->start, part->size, (uint64_t)part->protection, MAP_PRIVATE | MAP_FIXED,
			  (uint64_t)m->remote_fd, part->start }, 0 };
	}
	rc = remote_syscalls(m->i, m->thread, calls, m->image.part_count);
	for (size_t k = 0; k < m->image.part_count && rc == 0; k++)
		rc = remote_error(calls[k].result);
	return rc;
}

/* All of it once, unreadable, to have the place; then its parts. */
static int map_parts(struct mapping *m, uint64_t *base, char *reason)
{
	const char *why = "";
	int rc;

	*base = 0;
	rc = remote_mmap(m, base, m->image.size, PROT_NONE, MAP_PRIVATE, 0);
	if (rc) {
		TELL("no room for the hook in it: %s", strerror(-rc));
		return rc;
	}
	rc = elf_image_relocate(&m->image, *base, want, m, &why);
	if (rc)
		TELL("the hook's mapped form cannot be used: %s", why);
	else if ((rc = write_image(m)) != 0)
		TELL("cannot write the hook into it: %s", strerror(-rc));
	if (rc == 0) {
		rc = map_all(m, *base);
		if (rc)
			TELL("cannot map the hook in it: %s", strerror(-rc));
	}
	if (rc)
		remote_munmap(m, *base, m->image.size);
	return rc;
}

static int map_held(struct mapping *m, uint64_t *base, char *reason)
{
	int rc = deliver_memfd(m->i, m->thread, DELIVER_MAP_NAME, MFD_CLOEXEC, m->image.size, &m->remote_fd,
			       &m->local_fd, reason);

	if (rc)
		return rc;
	rc = map_parts(m, base, reason);
	close(m->local_fd);
	deliver_close(m->i, m->thread, m->remote_fd);
	return rc;
}

int deliver_map(struct injection *i, const struct object_list *objects, const char *path, uint64_t *base,
		char reason[INJECTION_REASON])
{
	struct mapping m = { .i = i, .objects = objects };
	const char *why = "";
	uint8_t *file;
	size_t size;
	int rc = deliver_read_file(path, &file, &size);

	if (rc) {
		TELL("cannot read %.200s: %s", path, strerror(-rc));
		return rc;
	}
	rc = elf_image_load(&m.image, file, size, &why);
	free(file);
	if (rc) {
		TELL("%.150s cannot be used: %s", path, why);
		return rc;
	}
	rc = threads_hold(i, 0, &m.thread, reason);
	if (rc == 0) {
		rc = map_held(&m, base, reason);
		thread_release(m.thread);
	}
	elf_image_release(&m.image);
	return rc;
}
