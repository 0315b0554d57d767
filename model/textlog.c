/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text log into the heap.
 *
 * The file is causal for each address but only nearly sorted by time, so events wait until
 * the log is WINDOW_US past them, and are then passed on by time, lines of equal time in the
 * order of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "model/state.h"
#include "model/textline.h"
#include "trace/channel.h"
#include "trace/text_write.h"

#define LINE_MAX_BYTES	(4u << 20)	/* longer lines are not ours */
#define FRAMES_MAX	1024u
#define WINDOW_US	200000u
#define WAITING_MAX	(1u << 20)
#define WAITING_FEW	4096u
#define TID_REUSE_US	1000000u
#define FOREIGN_MAX	(1u << 20)

struct waiting {
	struct trace_event event;
	uint32_t thread, order;
};

struct textlog {
	struct buffer line;		/* the beginning of a line whose end has not come */
	bool skipping;			/* inside a line that is too long */
	bool open;			/* `event` may still get frames */
	struct waiting event;
	uint32_t frames[FRAMES_MAX];	/* places, innermost first */
	size_t frame_count;
	VECTOR(struct waiting) waiting;
	VECTOR(struct waiting) scratch;
	size_t sorted;			/* the first so many are in order */
	uint64_t newest;
	uint32_t order;
	struct map ops;			/* hash of a label -> op + 1 */
	uint64_t foreign;		/* bytes before the first event */
	bool binary;			/* with NULs among them */
	bool detached;			/* the program went on without memtrack */
};

static struct textlog *textlog_get(struct heap *heap)
{
	if (!heap->text) {
		heap->text = xcalloc(1, sizeof(*heap->text));
		map_init(&heap->text->ops);
	}
	return heap->text;
}

void textlog_free(struct textlog *text)
{
	if (!text)
		return;
	buffer_release(&text->line);
	vector_release(&text->waiting);
	vector_release(&text->scratch);
	map_release(&text->ops);
	free(text);
}

static bool earlier(const struct waiting *a, const struct waiting *b)
{
	return a->event.stamp != b->event.stamp ? a->event.stamp < b->event.stamp : a->order < b->order;
}

static int compare(const void *a, const void *b)
{
	return earlier(a, b) ? -1 : earlier(b, a);
}

/* Sort what is new, and merge it with what was in order before. */
static void sort_waiting(struct textlog *text)
{
	struct waiting *items = text->waiting.items;
	size_t count = text->waiting.count, in = text->sorted, new, at = 0;
	bool sorted = true;

	for (size_t i = in ? in : 1; i < count && sorted; i++)
		sorted = !earlier(&items[i], &items[i - 1]);
	text->sorted = count;
	if (sorted)
		return;
	qsort(items + in, count - in, sizeof(*items), compare);
	vector_resize(&text->scratch, in);
	if (in)
		memcpy(text->scratch.items, items, in * sizeof(*items));
	for (size_t i = 0, j = in; i < in; at++) {
		new = j < count && earlier(&items[j], &text->scratch.items[i]);
		items[at] = new ? items[j++] : text->scratch.items[i++];
	}
}

static void pass_on(struct heap *heap, uint64_t until, size_t most)
{
	struct textlog *text = heap->text;
	size_t done = 0;

	sort_waiting(text);
	for (; done < text->waiting.count; done++) {
		const struct waiting *w = &text->waiting.items[done];

		if (w->event.stamp > until && text->waiting.count - done <= most)
			break;
		apply_event(heap, w->thread, &w->event);
	}
	if (!done)
		return;
	text->waiting.count -= done;
	memmove(text->waiting.items, text->waiting.items + done,
		text->waiting.count * sizeof(*text->waiting.items));
	text->sorted = text->waiting.count;
}

/* The event's stack is known now. */
static void close_event(struct heap *heap)
{
	struct textlog *text = heap->text;
	uint32_t stack = text->frame_count ? STACK_COMPLETE : STACK_NONE;

	if (!text->open)
		return;
	for (size_t i = text->frame_count; i-- > 0;)
		stack = stack_table_node(&heap->stacks, stack, text->frames[i]);
	text->event.event.stack = stack;
	text->event.order = text->order++;
	if (text->event.event.stamp > text->newest)
		text->newest = text->event.event.stamp;
	vector_push(&text->waiting, text->event);
	text->open = false;
	text->frame_count = 0;
}

/* A line is an allocation when it has a total, whatever its name; and the page functions have one
 * name for both. */
static uint8_t event_op(struct textlog *text, const struct textline *line)
{
	uint64_t *known = map_place(&text->ops, hash_bytes(line->op.data, line->op.length), NULL);
	enum op_kind kind;
	unsigned op;

	if (!*known)
		*known = op_from_label(line->op.data, line->op.length) + 1;
	op = (unsigned)*known - 1;
	kind = op_kind(op);
	if (line->kind == TEXTLINE_EXIT)
		return OP_EXIT;
	if (!line->has_total) {
		if (kind == OP_KIND_MAP)
			return op == OP_BRK || op == OP_SBRK ? OP_BRK_UNMAP : OP_MREMAP_UNMAP;
		return kind == OP_KIND_FREE || kind == OP_KIND_UNMAP ? (uint8_t)op : OP_FREE;
	}
	return kind == OP_KIND_ALLOC || kind == OP_KIND_MAP ? (uint8_t)op : OP_MALLOC;
}

static uint32_t event_thread(struct heap *heap, const struct textline *line, uint8_t op)
{
	uint32_t name = intern_put(heap->modules.strings, line->name.data, line->name.length);
	uint32_t index = thread_index(heap, line->tid);
	struct thread *thread = &heap->threads.items[index];
	enum op_kind kind = op_kind(op);

	/* A tid that allocates long after its exit, or by another name, is another thread. */
	if (thread->text_exited && (kind == OP_KIND_ALLOC || kind == OP_KIND_MAP) &&
	    (thread->name != name || line->ts > thread->text_exit_us + TID_REUSE_US)) {
		map_remove(&heap->thread_by_serial, line->tid, NULL);
		index = thread_index(heap, line->tid);
		thread = &heap->threads.items[index];
	}
	heap->names_generation += thread->name != name;
	thread->tid = line->tid;
	thread->name = name;
	if (line->has_total && line->total > thread->reported_bytes)
		thread->reported_bytes = line->total;
	if (kind == OP_KIND_EXIT) {
		thread->text_exited = true;
		thread->text_exit_us = line->ts;
	}
	return index;
}

static void take_event(struct heap *heap, const struct textline *line)
{
	struct textlog *text = heap->text;
	uint8_t op;

	close_event(heap);
	op = event_op(text, line);
	text->event.thread = event_thread(heap, line, op);
	text->event.event = (struct trace_event){
		.stamp = line->ts, .ptr = line->ptr,
		.size = op_kind(op) == OP_KIND_EXIT ? line->total : line->size, .op = op,
	};
	text->open = true;
}

static void fill_place(struct heap *heap, uint32_t index, const struct textline *line)
{
	struct stack_place *place = &heap->stacks.places.items[index];
	struct intern *strings = heap->modules.strings;

	place->pc = line->pc;
	place->address = line->offset;
	place->module = line->binary.length ? intern_put(strings, line->binary.data, line->binary.length) : 0;
	place->function = line->symbol.length ? intern_put(strings, line->symbol.data, line->symbol.length) : 0;
}

/* Frames are told apart by their text and pc, that is by the rest of the line. */
static void take_frame(struct heap *heap, const struct textline *line, const char *end)
{
	struct textlog *text = heap->text;
	const char *start = line->frame.data;
	uint32_t id, index;
	bool created;

	if (!text->open || text->frame_count == FRAMES_MAX) {
		heap->status.foreign_lines += !text->open;
		return;
	}
	id = intern_put(heap->modules.strings, start, (size_t)(end - start));
	index = stack_table_text(&heap->stacks, id, &created);
	if (created)
		fill_place(heap, index, line);
	text->frames[text->frame_count++] = index;
}

static bool line_is(const char *line, size_t length, const char *text)
{
	length -= length && line[length - 1] == '\r';
	return length == strlen(text) && memcmp(line, text, length) == 0;
}

static bool take_remark(struct heap *heap, const char *line, size_t length)
{
	if (line_is(line, length, TEXT_ATTACHED))
		heap->attached = heap->filtered = true;
	else if (line_is(line, length, TEXT_DETACHED))
		heap->text->detached = true;
	else
		return marks_take_line(heap, line, length);
	return true;
}

static void take_line(struct heap *heap, const char *line, size_t length)
{
	struct textline parsed;

	if (length && *line == '#' && take_remark(heap, line, length))
		return;		/* a name in it may look like another line of ours */
	textline_parse(line, length, &parsed);
	switch (parsed.kind) {
	case TEXTLINE_EVENT:
	case TEXTLINE_EXIT:
		take_event(heap, &parsed);
		break;
	case TEXTLINE_FRAME:
		take_frame(heap, &parsed, line + length);
		break;
	case TEXTLINE_DAMAGED:
		close_event(heap);
		heap->status.foreign_lines++;
		break;
	default:
		heap->status.foreign_lines += length != 0;
	}
}

/* The end of a line that began in earlier bytes; returns the bytes used. */
static size_t finish_line(struct heap *heap, const char *data, size_t length)
{
	struct textlog *text = heap->text;
	const char *newline = memchr(data, '\n', length);
	size_t part = newline ? (size_t)(newline - data) : length;

	if (!text->skipping && text->line.length + part > LINE_MAX_BYTES) {
		text->skipping = true;
		buffer_release(&text->line);
	}
	if (!text->skipping)
		buffer_append(&text->line, data, part);
	if (!newline)
		return length;
	if (text->skipping)
		heap->status.foreign_lines++;
	else
		take_line(heap, buffer_text(&text->line), text->line.length);
	text->skipping = false;
	buffer_clear(&text->line);
	return part + 1;
}

void textlog_feed(struct heap *heap, const char *data, size_t length)
{
	struct textlog *text = textlog_get(heap);
	size_t at = 0;

	if (length && (text->line.length || text->skipping))
		at = finish_line(heap, data, length);
	while (at < length) {
		const char *newline = memchr(data + at, '\n', length - at);

		if (!newline) {
			at += finish_line(heap, data + at, length - at);
			break;
		}
		take_line(heap, data + at, (size_t)(newline - data) - at);
		at = (size_t)(newline - data) + 1;
	}
	if (text->waiting.count < WAITING_FEW ||
	    (text->waiting.count - text->sorted) * 4 > text->waiting.count)
		pass_on(heap, text->newest > WINDOW_US ? text->newest - WINDOW_US : 0, WAITING_MAX);
}

/* Any data could be a log that begins with the program's own output; but binary data without a line
 * of ours is none, however long it goes on. */
bool textlog_hopeless(struct heap *heap, const void *data, size_t length)
{
	struct textlog *text = heap->text;

	if (text->order || text->open)
		return false;
	text->foreign += length;
	text->binary |= memchr(data, 0, length) != NULL;
	return text->binary && text->foreign > FOREIGN_MAX;
}

void textlog_settle(struct heap *heap)
{
	if (heap->text)
		pass_on(heap, UINT64_MAX, 0);
}

/* A last line without newline was cut: whether its address is whole, nobody can tell. */
void textlog_end(struct heap *heap)
{
	struct textlog *text = textlog_get(heap);

	if (text->line.length || text->skipping)
		heap->status.foreign_lines++;
	close_event(heap);
	pass_on(heap, UINT64_MAX, 0);
	heap->end_stamp = heap->now;
	if (text->detached)
		heap->status.end = HEAP_DETACHED;
	if (heap->options.follow || text->detached)
		return;
	heap->status.end = HEAP_ENDED;
	heap->status.leaks_final = true;
	heap->exits++;
}
