/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delivery of the hook. */
#include "inject/deliver.h"

#include <errno.h>
#include <stdio.h>

int deliver_hook(struct injection *i, const char *so_path, const char *map_so_path, enum deliver_method method,
		 struct delivered *d, char reason[INJECTION_REASON])
{
	(void)i, (void)so_path, (void)map_so_path, (void)method, (void)d;
	snprintf(reason, INJECTION_REASON, "delivery is not built yet");
	return -ENOSYS;
}

int deliver_find(pid_t pid, struct delivered *d)
{
	(void)pid, (void)d;
	return -ENOENT;
}

int deliver_symbol(struct injection *i, const struct delivered *d, const char *name, uint64_t *address)
{
	(void)i, (void)d, (void)name, (void)address;
	return -ENOENT;
}

int deliver_memfd(struct injection *i, struct thread *t, const char *name, unsigned flags, uint64_t size,
		  int *remote_fd, int *local_fd, char reason[INJECTION_REASON])
{
	(void)i, (void)t, (void)name, (void)flags, (void)size, (void)remote_fd, (void)local_fd;
	snprintf(reason, INJECTION_REASON, "delivery is not built yet");
	return -ENOSYS;
}
