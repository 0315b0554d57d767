/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of the counting interposer: one cell per op of trace/functions.h. */
#ifndef TESTS_TOOLS_COUNTER_H
#define TESTS_TOOLS_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

#include "trace/functions.h"

/* The interposer writes PREFIX.PID, where PREFIX is this variable. */
#define COUNTER_ENV "MEMTRACK_TEST_COUNTER"

struct counter_cell {
	_Atomic uint64_t count;	/* outermost calls that succeeded */
	_Atomic uint64_t bytes;	/* what they asked for */
};

struct counter_file {
	struct counter_cell cells[OP_END];
};

#endif
