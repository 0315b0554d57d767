/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the held threads of a process are. */
#ifndef LAUNCHER_ATTACH_INSIDE_H
#define LAUNCHER_ATTACH_INSIDE_H

#include <stdbool.h>

#include "inject/threads.h"

/* One that can make calls, or NULL. */
struct thread *attach_usable_thread(struct injection *injection);

/* Whether a held thread runs in [start, end), or was interrupted there by a signal whose handler still runs. */
bool attach_inside(struct injection *injection, uint64_t start, uint64_t end);

#endif
