/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two ways in, as deliver.c chooses between them. */
#ifndef INJECT_DELIVER_WAYS_H
#define INJECT_DELIVER_WAYS_H

#include "inject/deliver.h"
#include "inject/objects.h"

/* By the target's dlopen.  Before it was called nothing has changed in the target; *called: it was. */
int deliver_dlopen(struct injection *, const struct object_list *, const char *so_path, uint64_t *base,
		   bool *called, char reason[INJECTION_REASON]);

/* Mapped and relocated from outside. */
int deliver_map(struct injection *, const struct object_list *, const char *path, uint64_t *base,
		char reason[INJECTION_REASON]);

/* All bytes of a file, to be freed.  0 or -errno. */
int deliver_read_file(const char *path, uint8_t **data, size_t *size);

/* Closes a descriptor of the target. */
void deliver_close(struct injection *, struct thread *, int remote_fd);

#endif
