/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoding what symbols/ found out. */
#include "launcher/symbol_records.h"

#include <string.h>

#include "launcher/jit_map.h"
#include "symbols/module.h"
#include "trace/encode.h"

#define RECORD_HEAD	128u	/* more than the fixed part of either record takes */

static struct trace_out out_begin(struct buffer *out, size_t room)
{
	buffer_reserve(out, room);
	return (struct trace_out){ (uint8_t *)out->data, out->length, out->length + room };
}

/* The string's id in the trace, 0 for an unknown one. */
static uint32_t put_string(const char *text, struct intern *strings, struct buffer *out)
{
	struct trace_string_def def = { .text = trace_string(text) };
	uint32_t known = intern_count(strings);
	struct trace_out o;

	if (!def.text.length)
		return 0;
	if (def.text.length > TRACE_STRING_MAX)
		def.text.length = TRACE_STRING_MAX;
	def.id = intern_put(strings, def.text.data, def.text.length);
	if (def.id <= known)
		return def.id;
	o = out_begin(out, RECORD_HEAD + def.text.length);
	if (trace_put_string(&o, &def) == 0)
		out->length = o.length;
	return def.id;
}

static const char *frame_function(const struct symbol_frame *f)
{
	return f->function ? f->function : f->raw;
}

/* Code in no module: what the process itself says about it. */
void symbol_records_put_jit(const struct symbol_work *work, struct intern *strings, struct buffer *out)
{
	struct trace_symbol_frame frame = { 0 };
	struct trace_symbols symbols = { .address = work->vaddr, .frames = &frame, .count = 1 };
	struct buffer name = BUFFER_INIT;
	struct trace_out o;

	buffer_append_string(&name, "[jit] ");
	if (jit_map_name(work->jit, work->vaddr, &name, &symbols.offset)) {
		buffer_append_char(&name, '\0');
		frame.function = put_string(name.data, strings, out);
		o = out_begin(out, RECORD_HEAD);
		if (trace_put_symbols(&o, &symbols) == 0)
			out->length = o.length;
	}
	buffer_release(&name);
}

void symbol_records_put(const struct symbol_work *work, const struct symbol_result *result,
			struct intern *strings, struct buffer *out)
{
	struct trace_symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct trace_symbols symbols = {
		.module = work->module, .address = work->vaddr, .offset = result->offset,
		.frames = frames, .count = (uint32_t)result->count,
	};
	struct trace_out o;

	if (!symbols.count)
		return;
	for (size_t i = 0; i < result->count; i++) {
		frames[i].function = put_string(frame_function(&result->frames[i]), strings, out);
		frames[i].file = put_string(result->frames[i].file, strings, out);
		frames[i].line = result->frames[i].line;
	}
	o = out_begin(out, RECORD_HEAD + symbols.count * 16);
	if (trace_put_symbols(&o, &symbols) == 0)
		out->length = o.length;
}
