/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which way the hook gets in, and what is there already. */
#include "inject/deliver.h"

#include "base/alloc.h"
#include "inject/deliver_ways.h"
#include "inject/memory.h"
#include "inject/remote.h"
#include "inject/state.h"
#include "symbols/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TELL(...)	snprintf(reason, INJECTION_REASON, __VA_ARGS__)

int deliver_find(pid_t pid, struct delivered *d)
{
	struct maps maps;
	int rc = maps_read(pid, &maps);

	memset(d, 0, sizeof(*d));
	if (rc)
		return rc;
	rc = -ENOENT;
	for (size_t k = 0; k < maps.count && rc; k++) {
		const struct map_entry *m = &maps.items[k];

		d->mapped_form = strcmp(m->name, "/memfd:" DELIVER_MAP_NAME) == 0;
		if (m->offset != 0 || !(d->mapped_form || strcmp(m->name, "/memfd:" DELIVER_NAME) == 0))
			continue;
		d->base = m->start;
		d->was_there = true;
		rc = 0;
	}
	maps_release(&maps);
	return rc;
}

int deliver_symbol(struct injection *i, const struct delivered *d, const char *name, uint64_t *address)
{
	struct object o;
	int rc = object_at(i, d->base, &o);

	return rc ? rc : object_symbol(i, &o, name, address);
}

int deliver_read_file(const char *path, uint8_t **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	struct stat st;
	size_t got = 0;

	*data = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > 1 << 28)
		rc = -ENOEXEC;
	*size = rc ? 0 : (size_t)st.st_size;
	*data = rc ? NULL : xmalloc(*size);
	while (rc == 0 && got < *size) {
		ssize_t n = read(fd, *data + got, *size - got);

		if (n <= 0)
			rc = n < 0 ? -errno : -EIO;
		else
			got += (size_t)n;
	}
	close(fd);
	return rc;
}

void deliver_close(struct injection *i, struct thread *t, int remote_fd)
{
	const uint64_t arguments[6] = { (uint64_t)remote_fd };

	remote_ask(i, t, SYS_close, arguments, NULL);
}

/* Opens what is behind a descriptor of the target, if it is the memfd we made. */
static int open_remote(const struct injection *i, int remote_fd, const char *name)
{
	char path[64], link[96], want[96];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)injection_proc(i), remote_fd);
	snprintf(want, sizeof(want), "/memfd:%.64s (deleted)", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = '\0';
	/* The program may have closed our descriptor, and opened something else, meanwhile. */
	if (strcmp(link, want) == 0)
		return fd;
	close(fd);
	return -EAGAIN;
}

static int make_memfd(struct injection *i, struct thread *t, const char *name, unsigned flags, int *remote_fd)
{
	uint64_t arguments[6] = { 0, flags };
	uint64_t fd;
	int rc = remote_scratch(i, t, strlen(name) + 1, &arguments[0]);
	rc = rc ? rc : memory_write(i, arguments[0], name, strlen(name) + 1);
	rc = rc ? rc : remote_ask(i, t, SYS_memfd_create, arguments, &fd);
	if (rc == 0)
		*remote_fd = (int)fd;
	return rc;
}

int deliver_memfd(struct injection *i, struct thread *t, const char *name, unsigned flags, uint64_t size,
		  int *remote_fd, int *local_fd, char reason[INJECTION_REASON])
{
	int rc;

	*local_fd = -1;
	rc = make_memfd(i, t, name, flags, remote_fd);
	if (rc) {
		TELL("cannot make a memory file in it: %s", strerror(-rc));
		return rc;
	}
	*local_fd = open_remote(i, *remote_fd, name);
	rc = *local_fd < 0 ? *local_fd : size && ftruncate(*local_fd, (off_t)size) != 0 ? -errno : 0;
	if (rc == 0)
		return 0;
	TELL("cannot open the memory file made in it: %s", strerror(-rc));
	if (*local_fd >= 0)
		close(*local_fd);
	*local_fd = -1;
	deliver_close(i, t, *remote_fd);
	return rc;
}

static bool is_musl(const struct object_list *objects)
{
	for (size_t k = 0; k < objects->count; k++)
		if (object_is_musl(objects->items[k].name))
			return true;
	return false;
}

/* Why dlopen is out of the question; NULL: it is not. */
static const char *no_dlopen(const struct object_list *objects, int rc, const char *so_path)
{
	if (!so_path)
		return "there is no form of the hook for it";
	if (rc == -EAGAIN)
		return "its loader has not finished starting it";
	if (rc)
		return "it is statically linked";
	if (is_musl(objects))
		return "its libc is musl";
	return NULL;
}

static int choose(struct injection *i, const struct object_list *objects, int objects_rc,
		  const char *const paths[2], enum deliver_method method, struct delivered *d, char *reason)
{
	const char *why = no_dlopen(objects, objects_rc, paths[0]);
	bool called = false;
	int rc;

	if (method != DELIVER_MAP && !why) {
		rc = deliver_dlopen(i, objects, paths[0], &d->base, &called, reason);
		/* A call that crashed or never ended may have left locks: one more thing in it could hurt. */
		if (rc == 0 || method == DELIVER_DLOPEN || rc == -ESRCH || rc == -EINTR || (called && rc != -ENOEXEC))
			return rc;
		why = reason;
	}
	if (method == DELIVER_DLOPEN)
		return TELL("dlopen is not to be had: %s", why), -ENOTSUP;
	if (method == DELIVER_AUTO)
		snprintf(d->note, sizeof(d->note), "%.*s", (int)sizeof(d->note) - 1, why);
	if (!paths[1] && method == DELIVER_AUTO)
		return TELL("%.200s, and there is no other form of the hook", d->note), -ENOTSUP;
	if (!paths[1])
		return TELL("there is no mapped form of the hook"), -ENOTSUP;
	d->mapped_form = true;
	return deliver_map(i, objects, paths[1], &d->base, reason);
}

int deliver_hook(struct injection *i, const char *so_path, const char *map_so_path, enum deliver_method method,
		 struct delivered *d, char reason[INJECTION_REASON])
{
	const char *const paths[2] = { so_path, map_so_path };
	struct object_list objects;
	int rc = deliver_find(i->pid, d);

	*reason = '\0';
	if (rc == 0)
		return 0;
	memset(d, 0, sizeof(*d));
	rc = objects_read(i, &objects);
	if (rc == -ESRCH)
		TELL("the process went away");
	else
		rc = choose(i, &objects, rc, paths, method, d, reason);
	vector_release(&objects);
	return rc;
}
