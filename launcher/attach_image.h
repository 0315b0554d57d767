/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook as it lies in a process: its tables, its state, its code. */
#ifndef LAUNCHER_ATTACH_IMAGE_H
#define LAUNCHER_ATTACH_IMAGE_H

#include <stdbool.h>

#include "base/vector.h"
#include "inject/deliver.h"
#include "trace/attach.h"

VECTOR_STRUCT(attach_entries, struct attach_entry);

struct attach_image {
	uint64_t attach;		/* address of memtrack_attach */
	uint64_t state;			/* of memtrack_state */
	uint64_t code_start, code_end;
	struct attach_entries entries;
};

/* Reads what was delivered.  0 or -errno. */
int attach_image_read(struct injection *injection, const struct delivered *delivered,
		      struct attach_image *image, char reason[INJECTION_REASON]);
void attach_image_release(struct attach_image *image);

/* -EPROTO: that is no memtrack of this version. */
int attach_image_state(struct injection *injection, uint64_t state, struct attach_state *out);

/* Nothing is recorded any more. */
int attach_image_stop(struct injection *injection, uint64_t state);

#endif
