/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames as text. */
#include "launcher/text_frames.h"

#include <string.h>

#include "launcher/jit_map.h"
#include "launcher/module_table.h"
#include "trace/text_write.h"

#define DEPTH_MAX	1024u

void text_frames_init(struct text_frames *f, const struct module_table *modules)
{
	memset(f, 0, sizeof(*f));
	f->modules = modules;
}

void text_frames_release(struct text_frames *f)
{
	vector_release(&f->nodes);
	map_release(&f->by_id);
	map_release(&f->made);
	buffer_release(&f->texts);
}

void text_frames_add(struct text_frames *f, const struct trace_stack_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t parent = 0;

		if (map_get(&f->by_id, nodes[i].parent, &parent))
			parent++;
		map_put(&f->by_id, nodes[i].id, f->nodes.count);
		vector_push(&f->nodes, (struct text_node){
			.frame = nodes[i].frame, .parent = (uint32_t)parent, .flags = nodes[i].flags });
	}
}

/* The log is read line by line: what would end one, or start another, is not let through. */
static void put_path(struct buffer *out, const char *path)
{
	size_t at = out->length;

	buffer_append_string(out, *path ? path : "[unknown]");
	text_clean(out->data + at, out->data + at, out->length - at);
}

static void put_hex(struct buffer *out, const char *before, uint64_t value, const char *after)
{
	buffer_append_string(out, before);
	buffer_reserve(out, 16);
	out->length += text_hex(out->data + out->length, value);
	buffer_append_string(out, after);
}

/* N counts up to the return address, as backtrace_symbols does: the look-up itself is before it. */
static void put_place(struct buffer *out, const struct module_entry *m, const struct text_node *n)
{
	uint64_t vaddr = module_vaddr(m, n->frame, n->flags), back = !(n->flags & DEPOT_EXACT), offset;
	const char *raw;
	bool guess;

	pthread_mutex_lock(&m->file->lock);
	if (!symbol_name(m->file->module, vaddr, &raw, &offset, &guess) && !guess) {
		buffer_append_char(out, '(');
		put_path(out, raw);
		put_hex(out, "+0x", offset + back, ")");
	} else if (!symbol_module_offset(m->file->module, vaddr, &offset)) {
		put_hex(out, "(+0x", offset + back, ")");
	} else {
		put_hex(out, "(+0x", vaddr + back, ")");
	}
	pthread_mutex_unlock(&m->file->lock);
}

/* Code in no module: named by its process, or by where it is. */
static void put_jit(struct text_frames *f, const struct text_node *n)
{
	uint64_t back = !(n->flags & DEPOT_EXACT), offset;
	struct buffer name = BUFFER_INIT;

	buffer_append_string(&f->texts, "[jit]");
	if (f->modules->jit && jit_map_name(f->modules->jit, DEPOT_PC(n->frame) - back, &name, &offset)) {
		buffer_append_char(&name, '\0');
		buffer_append_char(&f->texts, '(');
		put_path(&f->texts, name.data);
		put_hex(&f->texts, "+0x", offset + back, ")");
	} else {
		put_hex(&f->texts, "(+0x", DEPOT_PC(n->frame), ")");
	}
	buffer_release(&name);
}

static void make_text(struct text_frames *f, struct text_node *n)
{
	const struct module_entry *m = module_table_find(f->modules, n->frame, n->flags);
	struct buffer *out = &f->texts;
	uint64_t known;

	if (map_get(&f->made, n->frame, &known)) {
		n->text = (uint32_t)(known >> 32);
		n->length = (uint32_t)known;
		return;
	}
	n->text = (uint32_t)out->length;
	if (m) {
		put_path(out, m->path);
		put_place(out, m, n);
	} else {
		put_jit(f, n);
	}
	put_hex(out, " [0x", DEPOT_PC(n->frame), "]\n");
	n->length = (uint32_t)(out->length - n->text);
	map_put(&f->made, n->frame, (uint64_t)n->text << 32 | n->length);
}

void text_frames_write(struct text_frames *f, uint32_t stack, struct buffer *out)
{
	uint64_t at;

	if (!map_get(&f->by_id, stack, &at))
		return;
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		struct text_node *n = &f->nodes.items[at];

		if (!n->length)
			make_text(f, n);
		buffer_reserve(out, TEXT_FRAME_HEAD_MAX);
		out->length += text_frame_head(out->data + out->length, depth);
		buffer_append(out, f->texts.data + n->text, n->length);
		if (!n->parent)
			break;
		at = n->parent - 1;
	}
}

void text_frames_modules(struct text_frames *f, const struct module_table *modules)
{
	f->modules = modules;
	map_clear(&f->made);
}
