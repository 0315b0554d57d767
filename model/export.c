/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a selection as text. */
#include "model/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/units.h"
#include "model/findings.h"
#include "model/report_parts.h"
#include "model/select_state.h"
#include "model/stacks.h"
#include "model/threads.h"

#define NS_PER_S	1e9
#define WIDE		1000u	/* columns: nothing is cut */

static void put(struct buffer *out, const char *text)
{
	text_sanitise(out, text, strlen(text));
}

static void put_filter(const struct selection *s, struct buffer *out)
{
	static const char *const states[] = { "all", "leaks", "active", "freed" };
	const struct select_filter *f = &s->filter;

	buffer_printf(out, "filter: %s", states[f->state]);
	if (f->thread != HEAP_NONE) {
		struct heap_thread thread;

		thread_get(s->heap, f->thread, &thread);
		buffer_append_string(out, ", thread ");
		put(out, thread.name);
		buffer_printf(out, " (%u)", thread.tid);
	}
	if (f->site != HEAP_NONE)
		buffer_append_string(out, ", one call site");
	if (f->min_age_ns)
		buffer_printf(out, ", age >= %.3fs", (double)f->min_age_ns / NS_PER_S);
	if (f->delta)
		buffer_printf(out, ", after %.6fs", (double)f->delta_ns / NS_PER_S);
	if (f->range)
		buffer_printf(out, ", from %.6fs to %.6fs", (double)f->range_from_ns / NS_PER_S,
			      (double)f->range_to_ns / NS_PER_S);
	if (s->search.text) {
		buffer_append_string(out, ", search \"");
		put(out, s->search.text);
		buffer_append_char(out, '"');
	}
	buffer_append_char(out, '\n');
}

void export_head(const struct selection *s, bool groups, struct buffer *out)
{
	const char *command = heap_fact(s->heap, "command"), *pid = heap_fact(s->heap, "pid");
	struct select_sums sums;
	char size[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];

	buffer_append_string(out, "command: ");
	put(out, command ? command : "(not recorded)");
	if (pid) {
		buffer_append_string(out, "  pid ");
		put(out, pid);
	}
	buffer_append_char(out, '\n');
	put_filter(s, out);
	select_sums(s, &sums);
	buffer_printf(out, "%s%s allocation%s, %s", sums.margin.allocs ? "~" : "",
		      format_count(count, sizeof(count), sums.count),
		      sums.count == 1 ? "" : "s", format_bytes(size, sizeof(size), sums.bytes));
	if (sums.margin.allocs)
		buffer_printf(out, " (a sample: +-%s, +-%s)", format_count(count, sizeof(count), sums.margin.allocs),
			      format_bytes(size, sizeof(size), sums.margin.alloc_bytes));
	if (sums.maps)
		buffer_printf(out, ", of these %s mmap, %s", format_count(count, sizeof(count), sums.maps),
			      format_bytes(size, sizeof(size), sums.map_bytes));
	if (groups)
		buffer_printf(out, ", %s call site%s", format_count(count, sizeof(count), s->group_rows.count),
			      s->group_rows.count == 1 ? "" : "s");
	buffer_append_string(out, "\n\n");
}

static void put_thread(const struct heap *heap, uint32_t index, struct buffer *out)
{
	struct heap_thread thread;

	if (index == HEAP_NONE) {
		buffer_append_string(out, "?");
		return;
	}
	thread_get(heap, index, &thread);
	put(out, thread.name[0] ? thread.name : "?");
	buffer_printf(out, " (%u)", thread.tid);
}

static void put_stack(struct heap *heap, const char *title, uint32_t stack, struct buffer *out)
{
	size_t count = stack_frames(heap, stack, NULL, 0);
	const char *cut = stack_cut_reason(heap, stack);
	struct stack_frame *frames;

	if (count > STACK_FRAMES_MAX)
		count = STACK_FRAMES_MAX;
	frames = xreallocarray(NULL, count + 1, sizeof(*frames));
	stack_frames(heap, stack, frames, count);
	stack_locate(heap, stack, frames, count);
	if (count && title)
		buffer_printf(out, "    %s\n", title);
	for (size_t i = 0; i < count; i++) {
		buffer_printf(out, "    #%-2zu ", i);
		stack_frame_print(&frames[i], true, out);
		buffer_append_string(out, frames[i].inlined ? " [inlined]\n" : "\n");
	}
	if (count && cut)
		buffer_printf(out, "    (%s)\n", cut);
	free(frames);
}

static void put_record(struct heap *heap, uint32_t id, bool stacks, struct buffer *out)
{
	struct block_record r;

	block_get(heap, id, &r);
	buffer_printf(out, "%s 0x%-14" PRIx64 " %-14s %12.6fs %12" PRIu64 "  ", r.runtime ? BLOCK_RUNTIME_LABEL : block_state_label(r.state),
		      r.ptr, heap_op_label(r.op), (double)r.alloc_ns / NS_PER_S, r.size);
	put_thread(heap, r.thread, out);
	if (r.state == BLOCK_FREED) {
		buffer_printf(out, "  %s at %.6fs by ", r.free_op ? heap_op_label(r.free_op) : "freed",
			      (double)r.free_ns / NS_PER_S);
		put_thread(heap, r.free_thread, out);
	}
	buffer_append_char(out, '\n');
	if (!stacks)
		return;
	put_stack(heap, NULL, r.stack, out);
	put_stack(heap, "freed at", r.free_stack, out);
}

void export_records(const struct selection *s, size_t first, size_t count, bool stacks,
	struct buffer *out)
{
	size_t end = select_count(s);

	for (size_t row = first; row < end && row - first < count; row++)
		put_record(s->heap, select_at(s, row), stacks, out);
}

static void put_group(struct heap *heap, const struct select_group *g, bool stacks, struct buffer *out)
{
	char size[UNITS_TEXT_MAX];
	struct heap_site site;

	site_get(heap, g->site, &site);
	buffer_printf(out, "%s x%-10" PRIu64 " %12" PRIu64 " bytes (%s) %14.0f B/s  live %" PRIu64
		      "  leaked %" PRIu64 "  ", g->never_fell ? "^" : " ", g->count, g->bytes,
		      format_bytes(size, sizeof(size), g->bytes), g->rate, g->live_bytes, g->leaked_bytes);
	if (g->margin.allocs)
		buffer_printf(out, "(a sample: +-%" PRIu64 ", +-%" PRIu64 " bytes)  ", g->margin.allocs,
			      g->margin.alloc_bytes);
	buffer_append_string(out, heap_op_label(site.op));
	buffer_append_string(out, "  ");
	put_thread(heap, g->thread, out);
	if (g->many_threads)
		buffer_append_string(out, " and others");
	buffer_append_char(out, '\n');
	if (stacks)
		put_stack(heap, NULL, site.stack, out);
}

void export_groups(const struct selection *s, size_t first, size_t count, bool stacks,
	struct buffer *out)
{
	size_t end = select_group_count(s);

	for (size_t row = first; row < end && row - first < count; row++) {
		struct select_group group;

		select_group_at(s, row, &group);
		put_group(s->heap, &group, stacks, out);
	}
}

void export_findings(const struct selection *s, size_t first, size_t count, bool stacks, struct buffer *out)
{
	struct report r = {
		.heap = s->heap, .options = { .frames = stacks ? STACK_FRAMES_MAX : 1, .width = WIDE }, .out = out,
	};
	size_t end = finding_count(s->heap);

	for (size_t at = 0, row = 0; at < end && row < first + count; at++) {
		if (!select_finding(s, at))
			continue;
		if (row++ >= first)
			report_finding(&r, at);
	}
}
