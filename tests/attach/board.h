/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a hostile program shows while it runs, in memory shared with who watches it. */
#ifndef TESTS_ATTACH_BOARD_H
#define TESTS_ATTACH_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

#define BOARD_WORKERS 600

struct board {
	_Atomic uint32_t stop;		/* set by the watcher: finish */
	_Atomic uint32_t workers;	/* so many counters are in use */
	_Atomic uint32_t ready;		/* all workers are on their way */
	_Atomic uint64_t interrupted;	/* system calls that returned EINTR and should not have */
	_Atomic uint64_t wrong;		/* other things that are not as they must be */
	_Atomic uint64_t progress[BOARD_WORKERS];
	_Atomic uint32_t tid[BOARD_WORKERS];		/* of the worker, for its helper */
	_Atomic uint64_t sent[BOARD_WORKERS];		/* signals, by the helper */
	_Atomic uint64_t received[BOARD_WORKERS];
};

#endif
