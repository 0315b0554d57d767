/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Brings the hook into the target: by the target's own dlopen, or mapped and relocated from outside. */
#ifndef INJECT_DELIVER_H
#define INJECT_DELIVER_H

#include "inject/threads.h"

#define DELIVER_NAME		"memtrack.so"		/* as they appear in /proc/PID/maps: /memfd:NAME */
#define DELIVER_MAP_NAME	"memtrack-map.so"

enum deliver_method {
	DELIVER_AUTO,			/* dlopen where that is possible, else mapped */
	DELIVER_DLOPEN,
	DELIVER_MAP,
};

struct delivered {
	uint64_t base;			/* address = base + the file's vaddr */
	bool mapped_form;
	bool was_there;			/* by an earlier session */
	char note[INJECTION_REASON];	/* DELIVER_AUTO: why it was not dlopen, else empty */
};

/* Threads are held as needed, and let go.  The copy that is dlopen'ed has its 4-byte variable
 * memtrack_injected set to 1.  Either path may be NULL: that form is not to be had. */
int deliver_hook(struct injection *, const char *so_path, const char *map_so_path, enum deliver_method,
		 struct delivered *, char reason[INJECTION_REASON]);

/* What an earlier session left, without touching the target.  -ENOENT: nothing. */
int deliver_find(pid_t, struct delivered *);

/* Address of a symbol of what is there, read from the target's own image of it.  -ENOENT: it has none. */
int deliver_symbol(struct injection *, const struct delivered *, const char *name, uint64_t *address);

/* Makes fd's content a memfd called name in the target and gives its number there; to be closed by a remote
 * close.  inject/patch.h and the session's segment use it too.  size: ftruncate'd to that. */
int deliver_memfd(struct injection *, struct thread *, const char *name, unsigned flags, uint64_t size,
		  int *remote_fd, int *local_fd, char reason[INJECTION_REASON]);

#endif
