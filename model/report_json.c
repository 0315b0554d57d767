/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The report as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/findings.h"
#include "model/footprint.h"
#include "model/marks.h"
#include "model/report_parts.h"
#include "model/sites.h"
#include "model/stacks.h"
#include "model/threads.h"

#define SITES_DEFAULT	100u

/* Sanitised, so that any bytes make valid UTF-8. */
static void string(struct buffer *out, const char *text)
{
	struct buffer clean = BUFFER_INIT;

	text_sanitise(&clean, text, strlen(text));
	buffer_append_char(out, '"');
	for (const char *c = buffer_text(&clean); *c; c++) {
		if (*c == '"' || *c == '\\')
			buffer_append_char(out, '\\');
		buffer_append_char(out, *c);
	}
	buffer_append_char(out, '"');
	buffer_release(&clean);
}

static void key(struct buffer *out, const char *name)
{
	char last = out->length ? out->data[out->length - 1] : '{';

	if (last != '{' && last != '[')
		buffer_append_char(out, ',');
	string(out, name);
	buffer_append_char(out, ':');
}

static void number(struct buffer *out, const char *name, uint64_t value)
{
	key(out, name);
	buffer_printf(out, "%" PRIu64, value);
}

/* A number; of an estimate also the ends of its 95 % interval. */
static void figure(struct buffer *out, const char *name, uint64_t value, uint64_t margin, bool sampled)
{
	if (!sampled) {
		number(out, name, value);
		return;
	}
	key(out, name);
	buffer_printf(out, "{\"value\":%" PRIu64 ",\"low\":%" PRIu64 ",\"high\":%" PRIu64 "}", value,
		      value > margin ? value - margin : 0, value + margin);
}

static void pair(struct buffer *out, const char *name, const uint64_t values[2], const uint64_t margins[2], bool sampled)
{
	key(out, name);
	buffer_append_char(out, '{');
	figure(out, "count", values[0], margins[0], sampled);
	figure(out, "bytes", values[1], margins[1], sampled);
	buffer_append_char(out, '}');
}

#define PAIR(out, name, t, figure, sampled) \
	pair(out, name, (uint64_t[]){ (t)->figure, (t)->figure##_bytes }, \
	     (uint64_t[]){ (t)->margin.figure, (t)->margin.figure##_bytes }, sampled)

static void stack(const struct report *r, uint32_t id)
{
	struct stack_frame *frames = xcalloc(STACK_FRAMES_MAX, sizeof(*frames));
	size_t count = stack_frames(r->heap, id, frames, STACK_FRAMES_MAX);
	struct buffer line = BUFFER_INIT;

	key(r->out, "stack");
	buffer_append_char(r->out, '[');
	for (size_t i = 0; i < count && i < STACK_FRAMES_MAX; i++) {
		buffer_clear(&line);
		stack_frame_print(&frames[i], true, &line);
		if (i)
			buffer_append_char(r->out, ',');
		string(r->out, buffer_text(&line));
	}
	buffer_append_char(r->out, ']');
	buffer_release(&line);
	free(frames);
}

static void act(const struct report *r, const char *name, const struct finding_act *act)
{
	struct heap_thread thread;

	if (!act->known)
		return;
	key(r->out, name);
	buffer_append_char(r->out, '{');
	key(r->out, "op");
	string(r->out, finding_op_label(act->op));
	if (act->thread != HEAP_NONE) {
		thread_get(r->heap, act->thread, &thread);
		key(r->out, "thread");
		string(r->out, thread.name);
		number(r->out, "tid", thread.tid);
	}
	number(r->out, "ns", act->ns);
	stack(r, act->stack);
	buffer_append_char(r->out, '}');
}

static void finding(const struct report *r, size_t index)
{
	struct finding f;

	finding_get(r->heap, index, &f);
	if (index)
		buffer_append_char(r->out, ',');
	buffer_append_char(r->out, '{');
	key(r->out, "kind");
	string(r->out, finding_kind_label(f.kind));
	number(r->out, "count", f.count);
	key(r->out, "inferred");
	buffer_append_string(r->out, f.inferred ? "true" : "false");
	key(r->out, "fatal");
	buffer_append_string(r->out, f.fatal ? "true" : "false");
	number(r->out, "pointer", f.ptr);
	if (f.alloc.known)
		number(r->out, "size", f.size);
	act(r, "allocated", &f.alloc);
	act(r, "freed", &f.earlier);
	act(r, "wrong", &f.free);
	buffer_append_char(r->out, '}');
}

static void findings(const struct report *r)
{
	struct finding_sums sums;
	size_t count = finding_count(r->heap);

	finding_sums(r->heap, &sums);
	key(r->out, "findings");
	buffer_append_char(r->out, '{');
	number(r->out, "total", sums.all);
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		number(r->out, finding_kind_label((enum finding_kind)kind), sums.kinds[kind]);
	number(r->out, "inferred", sums.inferred);
	key(r->out, "groups");
	buffer_append_char(r->out, '[');
	for (size_t i = 0; i < count; i++)
		finding(r, i);
	buffer_append_string(r->out, "]}");
}

static void blocks(const struct report *r)
{
	const struct heap_totals *t = &r->blocks;
	bool sampled = r->status.sample != 0;
	struct heap_exact exact;

	key(r->out, "blocks");
	buffer_append_char(r->out, '{');
	pair(r->out, "allocated", (uint64_t[]){ t->allocs, t->alloc_bytes },
	     (uint64_t[]){ t->margin.allocs, t->margin.alloc_bytes }, sampled);
	if (sampled && heap_exact(r->heap, HEAP_NONE, &exact))
		pair(r->out, "allocated exactly", (uint64_t[]){ exact.allocs, exact.alloc_bytes },
		     (uint64_t[]){ 0, 0 }, false);
	pair(r->out, "freed", (uint64_t[]){ t->frees, t->freed_bytes },
	     (uint64_t[]){ t->margin.frees, t->margin.freed_bytes }, sampled);
	PAIR(r->out, "peak", t, peak, sampled);
	PAIR(r->out, "live", t, live, sampled);
	PAIR(r->out, "leaked", t, leaked, sampled);
	pair(r->out, "runtime", (uint64_t[]){ t->runtime, t->runtime_bytes }, (uint64_t[]){ 0, 0 }, false);
	buffer_append_char(r->out, '}');
}

/* Of the program itself; never sampled. */
static void mappings(const struct report *r)
{
	const struct heap_totals *t = &r->pages;

	key(r->out, "mappings");
	buffer_append_char(r->out, '{');
	pair(r->out, "allocated", (uint64_t[]){ t->allocs, t->alloc_bytes }, (uint64_t[]){ 0, 0 }, false);
	pair(r->out, "freed", (uint64_t[]){ t->frees, t->freed_bytes }, (uint64_t[]){ 0, 0 }, false);
	PAIR(r->out, "peak", t, peak, false);
	PAIR(r->out, "live", t, live, false);
	PAIR(r->out, "leaked", t, leaked, false);
	buffer_append_char(r->out, '}');
}

static void sites(const struct report *r)
{
	uint32_t *top = xcalloc(r->options.top, sizeof(*top));
	size_t count = site_top(r->heap, SITE_BY_ALLOCATED, HEAP_BLOCKS, true, top, r->options.top);
	bool sampled = r->status.sample != 0;

	key(r->out, "sites");
	buffer_append_char(r->out, '[');
	for (size_t i = 0; i < count; i++) {
		struct heap_site site;

		site_get(r->heap, top[i], &site);
		buffer_append_string(r->out, i ? ",{" : "{");
		pair(r->out, "allocated", (uint64_t[]){ site.allocs, site.alloc_bytes },
		     (uint64_t[]){ site.margin.allocs, site.margin.alloc_bytes }, sampled);
		PAIR(r->out, "peak", &site, peak, sampled);
		PAIR(r->out, "live", &site, live, sampled);
		PAIR(r->out, "leaked", &site, leaked, sampled);
		stack(r, site.stack);
		buffer_append_char(r->out, '}');
	}
	buffer_append_char(r->out, ']');
	free(top);
}

static void markers(const struct report *r)
{
	uint64_t ns;

	key(r->out, "markers");
	buffer_append_char(r->out, '[');
	for (size_t i = 0; i < heap_marker_count(r->heap); i++) {
		const char *name = heap_marker_at(r->heap, i, &ns);

		buffer_append_string(r->out, i ? ",{" : "{");
		number(r->out, "ns", ns);
		key(r->out, "name");
		string(r->out, name);
		buffer_append_char(r->out, '}');
	}
	buffer_append_char(r->out, ']');
}

static void pauses(const struct report *r)
{
	struct heap_pause pause;
	uint64_t calls, bytes;

	heap_unrecorded(r->heap, &calls, &bytes);
	key(r->out, "pauses");
	buffer_append_char(r->out, '[');
	for (size_t i = 0; i < heap_pause_count(r->heap); i++) {
		heap_pause_at(r->heap, i, &pause);
		buffer_append_string(r->out, i ? ",{" : "{");
		number(r->out, "from", pause.from_ns);
		if (!pause.goes_on)
			number(r->out, "to", pause.to_ns);
		buffer_append_char(r->out, '}');
	}
	buffer_append_char(r->out, ']');
	pair(r->out, "unrecorded", (uint64_t[]){ calls, bytes }, (uint64_t[]){ 0, 0 }, false);
}

static void one(struct heap *heap, const struct report *how)
{
	struct report r = { .root = how->heap, .heap = heap, .options = how->options, .out = how->out };
	static const char *const facts[] = { "command", "pid", "ppid", "host", "method" };
	struct buffer end = BUFFER_INIT;

	heap_status(heap, &r.status);
	heap_totals(heap, HEAP_BLOCKS, &r.blocks);
	heap_totals(heap, HEAP_PAGES, &r.pages);
	buffer_append_char(r.out, '{');
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (heap_fact(heap, facts[i])) {
			key(r.out, facts[i]);
			string(r.out, heap_fact(heap, facts[i]));
		}
	report_end(&r.status, &end);
	key(r.out, "end");
	string(r.out, buffer_text(&end));
	buffer_release(&end);
	number(r.out, "ns", r.status.now_ns);
	number(r.out, "events", r.status.events);
	number(r.out, "lost", r.status.lost);
	number(r.out, "sample", r.status.sample);
	if (r.status.attached)
		number(r.out, "older frees", r.status.older_frees);
	blocks(&r);
	mappings(&r);
	findings(&r);
	sites(&r);
	markers(&r);
	pauses(&r);
	key(r.out, "footprint");
	footprint_json(heap, r.out);
	buffer_append_char(r.out, '}');
}

void report_json(struct heap *heap, const struct report_options *options, struct buffer *out)
{
	struct report how = { .heap = heap, .options = *options, .out = out };
	size_t count = heap_session_count(heap);

	if (!how.options.top)
		how.options.top = SITES_DEFAULT;
	buffer_append_string(out, "{\"processes\":[");
	for (size_t i = 0; i < count; i++) {
		if (options->session < count && options->session != i)
			continue;
		if (out->data[out->length - 1] != '[')
			buffer_append_char(out, ',');
		one(heap_session_at(heap, i), &how);
	}
	buffer_append_string(out, "]}\n");
}
