/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pauses and markers in the report. */
#include <string.h>

#include "base/text.h"
#include "model/marks.h"
#include "model/report_parts.h"

#define MARKERS_SHOWN	50u

static void pauses(const struct report *r)
{
	size_t count = heap_pause_count(r->heap);
	uint64_t calls, bytes, time = 0;

	for (size_t i = 0; i < count; i++) {
		struct heap_pause pause;

		heap_pause_at(r->heap, i, &pause);
		time += pause.to_ns - pause.from_ns;
	}
	heap_unrecorded(r->heap, &calls, &bytes);
	report_wrapf(r, 2, "Recording was paused %s time%s, for %s in all%s: %s allocation%s of %s made meanwhile %s left out.",
		     report_number(count), report_plural(count), report_duration(time),
		     heap_paused(r->heap) ? " and up to the end" : "", report_number(calls), report_plural(calls),
		     report_bytes(bytes), calls == 1 ? "is" : "are");
}

void report_pauses(const struct report *r)
{
	if (heap_pause_count(r->heap))
		pauses(r);
}

void report_markers(const struct report *r)
{
	size_t count = heap_marker_count(r->heap);

	if (!count)
		return;
	buffer_append_string(r->out, "\nMarkers\n");
	for (size_t i = 0; i < count && (i < MARKERS_SHOWN || r->options.all); i++) {
		uint64_t ns;
		const char *name = heap_marker_at(r->heap, i, &ns);

		buffer_printf(r->out, "  %10s  ", report_duration(ns));
		text_sanitise(r->out, name, strlen(name));
		buffer_append_char(r->out, '\n');
	}
	if (count > MARKERS_SHOWN && !r->options.all)
		report_wrapf(r, 2, "and %s more (--all shows all)", report_number(count - MARKERS_SHOWN));
}
