/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Markers and pauses, from both formats. */
#include "model/marks.h"

#include <stdlib.h>
#include <string.h>

#include "model/state.h"
#include "trace/text_write.h"

#define MARKERS_MAX	20000u
#define PAUSES_MAX	20000u

void marks_add_marker(struct heap *heap, uint64_t stamp, const char *name, size_t length)
{
	if (heap->options.until && stamp >= heap->options.until)
		heap->reached = true;
	heap_saw(heap, stamp);
	if (heap->markers.count < MARKERS_MAX)
		vector_push(&heap->markers, ((struct marker){
			stamp, intern_put(heap->modules.strings, length ? name : "", length) }));
	heap->generation++;
}

static void begin_pause(struct heap *heap, uint64_t stamp)
{
	heap->filtered = true;
	if (!heap->watched) {	/* else the ends of what was left out are left out as well */
		heap->left_out = true;
		found_forget_since(heap, stamp);
	}
	if (heap->pauses.count < PAUSES_MAX)
		vector_push(&heap->pauses, ((struct pause){ stamp, UINT64_MAX }));
}

void marks_set_pause(struct heap *heap, const struct trace_pause *pause)
{
	struct pause *last = heap->pauses.count ? &heap->pauses.items[heap->pauses.count - 1] : NULL;
	bool paused = pause->paused != 0;

	heap_saw(heap, pause->stamp);
	if (paused && !heap->paused)
		begin_pause(heap, pause->stamp);
	else if (!paused && last && last->to == UINT64_MAX)
		last->to = pause->stamp < last->from ? last->from : pause->stamp;
	heap->paused = paused;
	heap->unrecorded_calls = pause->calls;
	heap->unrecorded_bytes = pause->bytes;
	heap->generation++;
}

static bool begins(const char *line, size_t length, const char *text, const char **rest)
{
	size_t n = strlen(text);

	*rest = line + n;
	return length >= n && memcmp(line, text, n) == 0;
}

static uint64_t take_number(const char **at, const char *end)
{
	uint64_t number = 0;

	for (; *at < end && **at >= '0' && **at <= '9' && number < UINT64_MAX / 10 - 1; (*at)++)
		number = number * 10 + (uint64_t)(**at - '0');
	return number;
}

static void take_pause(struct heap *heap, bool paused, const char *at, const char *end)
{
	struct trace_pause pause = { .paused = paused, .stamp = take_number(&at, end) };

	if (begins(at, (size_t)(end - at), TEXT_UNRECORDED, &at)) {
		pause.calls = take_number(&at, end);
		at += at < end && *at == ',';
		pause.bytes = take_number(&at, end);
	}
	marks_set_pause(heap, &pause);
}

static void take_marker(struct heap *heap, const char *at, const char *end)
{
	uint64_t stamp = take_number(&at, end);

	at += at < end && *at == ' ';
	marks_add_marker(heap, stamp, at, (size_t)(end - at));
}

bool marks_take_line(struct heap *heap, const char *line, size_t length)
{
	const char *rest, *end;

	length -= length && line[length - 1] == '\r';
	end = line + length;
	if (begins(line, length, TEXT_MARKER, &rest))
		take_marker(heap, rest, end);
	else if (begins(line, length, TEXT_PAUSED, &rest))
		take_pause(heap, true, rest, end);
	else if (begins(line, length, TEXT_RESUMED, &rest))
		take_pause(heap, false, rest, end);
	else if (begins(line, length, TEXT_COMMANDS, &rest))
		heap_set_fact(heap, "commands", rest, (size_t)(end - rest));
	else if (begins(line, length, TEXT_ANSWER, &rest))
		heap_set_fact(heap, "answer", rest, (size_t)(end - rest));
	else
		return false;
	return true;
}

size_t heap_marker_count(const struct heap *heap)
{
	return heap->markers.count;
}

const char *heap_marker_at(const struct heap *heap, size_t index, uint64_t *ns)
{
	const struct marker *m = &heap->markers.items[index];

	if (ns)
		*ns = heap_ns(heap, m->stamp);
	return intern_text(heap->modules.strings, m->name, NULL);
}

size_t heap_pause_count(const struct heap *heap)
{
	return heap->pauses.count;
}

void heap_pause_at(const struct heap *heap, size_t index, struct heap_pause *out)
{
	const struct pause *p = &heap->pauses.items[index];

	out->from_ns = heap_ns(heap, p->from);
	out->goes_on = p->to == UINT64_MAX;
	out->to_ns = heap_ns(heap, out->goes_on ? heap->now : p->to);
}

bool heap_paused(const struct heap *heap)
{
	return heap->paused;
}

void heap_unrecorded(const struct heap *heap, uint64_t *calls, uint64_t *bytes)
{
	*calls = heap->unrecorded_calls;
	*bytes = heap->unrecorded_bytes;
}

bool heap_reached(const struct heap *heap)
{
	return heap->reached || heap->end_stamp;
}

uint64_t heap_until_ns(const struct heap *heap)
{
	return heap_ns(heap, heap->options.until);
}

void marks_heap_release(struct heap *heap)
{
	vector_release(&heap->markers);
	vector_release(&heap->pauses);
}
