/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes into records of trace/format.h.  Freestanding, allocates nothing, and believes nothing:
 * any bytes give a result or -EBADMSG.
 *
 *	struct trace_in in = { bytes, length, 0 };
 *	struct trace_record record;
 *
 *	while (trace_next(&in, &record) == 1) {
 *		if (record.kind == TRACE_THREAD && trace_get_thread(&record, &thread) == 0) ...
 *	}
 *
 * Strings of decoded records point into the bytes. */
#ifndef TRACE_DECODE_H
#define TRACE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

struct trace_in {
	const uint8_t *data;
	size_t length, at;
};

struct trace_record {
	enum trace_kind kind;	/* any byte: kinds that are not known are to be skipped */
	const uint8_t *payload;
	size_t length;
};

/* The next record: 1, 0 at the end, -EBADMSG when the bytes end in the middle of a record or
 * its length is absurd (nothing behind that can be read). */
int trace_next(struct trace_in *in, struct trace_record *record);

/* 0 or -EBADMSG; the record's kind must be the right one, else -EBADMSG too. */
int trace_get_fact(const struct trace_record *record, struct trace_fact *fact);
int trace_get_clock(const struct trace_record *record, struct trace_clock *clock);
int trace_get_thread(const struct trace_record *record, struct trace_thread *thread);
int trace_get_module(const struct trace_record *record, struct trace_module *module);
int trace_get_module_end(const struct trace_record *record, struct trace_module_end *end);
int trace_get_string(const struct trace_record *record, struct trace_string_def *string);
int trace_get_rss(const struct trace_record *record, struct trace_rss *rss);
int trace_get_resident(const struct trace_record *record, struct trace_resident *resident);
int trace_get_sync(const struct trace_record *record, struct trace_sync *sync);
int trace_get_lost(const struct trace_record *record, struct trace_lost *lost);
int trace_get_exec(const struct trace_record *record, struct trace_exec *exec);
int trace_get_child(const struct trace_record *record, struct trace_child *child);
int trace_get_relative(const struct trace_record *record, struct trace_relative *relative);
int trace_get_note(const struct trace_record *record, struct trace_note *note);
int trace_get_marker(const struct trace_record *record, struct trace_marker *marker);
int trace_get_pause(const struct trace_record *record, struct trace_pause *pause);
int trace_get_end(const struct trace_record *record, struct trace_end *end);

/* How many events or nodes the record says it holds (0 when it is damaged or of another kind);
 * never more than its bytes could hold, so it is safe to allocate for. */
size_t trace_record_count(const struct trace_record *record);

/* The events (ids, flags) of a record, or -EBADMSG.  max below the record's count: -EBADMSG.
 * TRACE_BATCH_MAX entries are always enough for events. */
int trace_get_events(const struct trace_record *record, uint32_t *thread,
		     struct trace_event *out, size_t max);
int trace_get_stacks(const struct trace_record *record, struct trace_stack_node *out, size_t max);

/* At most max cells (TRACE_COUNTERS_MAX are enough); counters->cells points to them. */
int trace_get_counters(const struct trace_record *record, struct trace_counters *counters,
		       struct trace_counter *cells, size_t max);

/* Frames go to the caller's array, and symbols->frames points to it; frames beyond max are cut
 * (TRACE_INLINE_MAX are enough for any record that trace_put_symbols made). */
int trace_get_symbols(const struct trace_record *record, struct trace_symbols *symbols,
		      struct trace_symbol_frame *frames, size_t max);

/* The nanoseconds of a stamp, 0 for stamps before the base. */
static inline uint64_t trace_time(const struct trace_clock *clock, uint64_t stamp)
{
	if (stamp < clock->base)
		return 0;
	return (uint64_t)(((unsigned __int128)(stamp - clock->base) * clock->mult) >> 32);
}

#endif
