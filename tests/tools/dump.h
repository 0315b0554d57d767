/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole .mtk in memory, for tests: small traces, unless it may forget. */
#ifndef TESTS_TOOLS_DUMP_H
#define TESTS_TOOLS_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "tests/tools/labels.h"
#include "trace/decode.h"

struct dump_event {
	struct trace_event event;
	uint32_t tid;
	size_t serial;		/* in the file: keeps events of one stamp in order */
};

struct dump_module {
	struct trace_module module;	/* strings are gone */
	uint32_t end_epoch;		/* UINT32_MAX: still loaded */
};

struct dump {
	bool quiet;		/* print losses and damage only */
	bool silent;		/* with quiet: damage only */
	bool forget;		/* sum the events up, keep none */
	uint32_t session;	/* which one of the file's to read */
	struct label_sums sums;	/* events that are not inner */
	struct trace_clock clock;
	VECTOR(struct dump_event) events;
	VECTOR(struct dump_module) modules;
	VECTOR(struct trace_stack_node) nodes;	/* by id */
	VECTOR(char *) strings;			/* by id */
	VECTOR(char *) functions;		/* "inner;outer" of a resolved address */
	struct map addresses;	/* module << 48 ^ address -> index of functions */
	VECTOR(uint32_t) tids;	/* by thread serial */
	size_t syncs, samples;
	uint64_t lost;				/* events, in all */
	VECTOR(uint64_t) execs;			/* their stamps */
	VECTOR(struct trace_counter) counters;	/* newest of thread << 16 | op << 8 | bucket */
	struct map counter_at;
	bool ended;
};

/* Reads all of the file, prints everything but events as it comes (unless quiet), and sorts the
 * events by time.  0 or -errno; damage is told in the "file" line, not an error. */
int dump_read(struct dump *dump, const char *path);
void dump_release(struct dump *dump);

/* The functions of a stack, innermost first, joined by ';'; "-" for none, "?" for an unresolved
 * one, and at the end "..." when the stack says that it was cut. */
void dump_frames_print(const struct dump *dump, uint32_t stack);

#endif
