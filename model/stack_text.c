/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames as text. */
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "model/stacks.h"

#define PLACE_FRAMES	32	/* a place further up is none */

const char *stack_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void put(struct buffer *out, const char *text)
{
	text_sanitise(out, text, strlen(text));
}

void stack_frame_print(const struct stack_frame *frame, bool lines, struct buffer *out)
{
	const char *module = frame->module && frame->module[0] ? stack_file_name(frame->module) : NULL;

	if (!frame->function) {
		if (module)
			put(out, module);
		buffer_printf(out, module ? "+0x%llx" : "[jit] 0x%llx",
			      (unsigned long long)(module ? frame->module_offset : frame->pc));
		return;
	}
	put(out, frame->function);
	if (lines && frame->file) {
		buffer_append_string(out, " (");
		put(out, stack_file_name(frame->file));
		if (frame->line)
			buffer_printf(out, ":%u", frame->line);
		buffer_append_char(out, ')');
	} else if (module) {
		buffer_append_string(out, " (");
		put(out, module);
		buffer_append_char(out, ')');
	}
}

/* What is on the screen is to be found: "work (app.c:12)", "libz.so+0x1234". */
static bool print_holds(const struct stack_frame *frame, bool lines, const char *text)
{
	struct buffer shown = BUFFER_INIT;
	bool found;

	stack_frame_print(frame, lines, &shown);
	found = text_holds(buffer_text(&shown), text);
	buffer_release(&shown);
	return found;
}

bool stack_frame_matches(const struct stack_frame *frame, const char *text)
{
	return !*text || text_holds(frame->function, text) || text_holds(frame->file, text) ||
	       text_holds(frame->module, text) || print_holds(frame, true, text) || print_holds(frame, false, text);
}

bool stack_print_place(const struct heap *heap, uint32_t stack, bool lines, struct buffer *out)
{
	struct stack_frame frames[PLACE_FRAMES];
	size_t count;
	int at;

	if (stack == HEAP_NONE)
		return false;
	at = stack_first_user_frame(heap, stack);
	count = stack_frames(heap, stack, frames, PLACE_FRAMES);
	if (at < 0 || at >= PLACE_FRAMES || (size_t)at >= count)
		return false;
	stack_frame_print(&frames[at], lines, out);
	return true;
}
