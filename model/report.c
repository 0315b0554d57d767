/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text report. */
#include "model/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/units.h"
#include "model/footprint.h"
#include "model/report_sites.h"
#include "model/threads.h"
#include "model/timeline.h"

#define TOP_DEFAULT	5u
#define FRAMES_DEFAULT	4u
#define TOP_MINOR	3u	/* rows of the lists that matter less */
#define WIDTH_DEFAULT	80u
#define THREADS_SHOWN	6u
#define CHILDREN_SHOWN	5u
#define NAME_COLUMNS	15u
#define ROUTES_SHOWN	2u	/* callers of a call site */

struct report {
	struct heap *heap;
	struct report_options options;
	struct heap_status status;
	struct heap_totals blocks, pages, inner;
	struct buffer *out;
};

/* Numbers as text; each call of one line needs a slot of its own. */
static const char *bytes(uint64_t value)
{
	static char text[8][UNITS_TEXT_MAX];
	static unsigned slot;

	slot = (slot + 1) % 8;
	return format_bytes(text[slot], sizeof(text[slot]), value);
}

static const char *number(uint64_t value)
{
	static char text[8][UNITS_TEXT_MAX];
	static unsigned slot;

	slot = (slot + 1) % 8;
	return format_count(text[slot], sizeof(text[slot]), value);
}

static const char *duration(uint64_t ns)
{
	static char text[4][UNITS_TEXT_MAX];
	static unsigned slot;

	slot = (slot + 1) % 4;
	return format_duration(text[slot], sizeof(text[slot]), ns);
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	unsigned rounded = whole ? (unsigned)((part * 100 + whole / 2) / whole) : 0;

	return rounded == 100 && part < whole ? 99 : rounded; /* all is all */
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* A paragraph, words wrapped at the width, following lines indented. */
static void wrap(const struct report *r, unsigned indent, const char *text)
{
	struct buffer clean = BUFFER_INIT;
	size_t column = 0;
	char *words, *word, *rest;

	report_clip(text, SIZE_MAX, &clean);
	words = buffer_detach(&clean);
	buffer_append_repeat(r->out, ' ', indent);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		size_t length = strlen(word), width = text_width(word, length);

		if (column && indent + column + 1 + width > r->options.width) {
			buffer_append_char(r->out, '\n');
			buffer_append_repeat(r->out, ' ', indent + 2);
			column = 2;
		} else if (column) {
			buffer_append_char(r->out, ' ');
			column++;
		}
		buffer_append(r->out, word, length);
		column += width;
	}
	buffer_append_char(r->out, '\n');
	free(words);
}

static void wrapf(const struct report *r, unsigned indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void wrapf(const struct report *r, unsigned indent, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	wrap(r, indent, text);
	free(text);
}

static void head_end(const struct report *r, struct buffer *line)
{
	switch (r->status.end) {
	case HEAP_EXITED:
		buffer_printf(line, "exited with status %u", r->status.end_value);
		break;
	case HEAP_KILLED:
		buffer_printf(line, "was killed by signal %u (%s)", r->status.end_value,
			      strsignal((int)r->status.end_value));
		break;
	case HEAP_DETACHED:
		buffer_append_string(line, "goes on untraced");
		break;
	case HEAP_LOG_ENDED:
		buffer_append_string(line, "ended");
		break;
	default:
		buffer_append_string(line, r->status.data_ended ? "has no recorded end" : "is running");
	}
	buffer_printf(line, " after %s", duration(r->status.now_ns));
}

static void head(const struct report *r)
{
	const char *command = heap_fact(r->heap, "command"), *pid = heap_fact(r->heap, "pid");
	const char *host = heap_fact(r->heap, "host"), *method = heap_fact(r->heap, "method");
	struct buffer line = BUFFER_INIT;

	buffer_append_string(r->out, "memtrack: ");
	report_clip(command ? command : "(command not recorded)", r->options.width - 10, r->out);
	buffer_append_char(r->out, '\n');
	if (pid)
		buffer_printf(&line, "process %s", pid);
	else
		buffer_append_string(&line, "the process");
	if (host)
		buffer_printf(&line, " on %s", host);
	buffer_append_char(&line, ' ');
	head_end(r, &line);
	buffer_printf(&line, "; %s events", number(r->status.events));
	if (method)
		buffer_printf(&line, ", method %s", method);
	wrap(r, 2, buffer_text(&line));
	buffer_release(&line);
}

static void total_row(const struct report *r, const char *what, uint64_t count, uint64_t size,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
static void total_row(const struct report *r, const char *what, uint64_t count, uint64_t size,
	const char *format, ...)
{
	va_list args;

	buffer_printf(r->out, "  %-12s %15s block%s %10s", what, number(count),
		      count == 1 ? " " : "s", bytes(size));
	va_start(args, format);
	buffer_vprintf(r->out, format, args);
	va_end(args);
	buffer_append_char(r->out, '\n');
}

static void totals(const struct report *r)
{
	const struct heap_totals *t = &r->blocks;
	uint64_t live = t->live - t->leaked - t->runtime;

	buffer_append_string(r->out, "\nHeap\n");
	total_row(r, "allocated", t->allocs, t->alloc_bytes, "%s", "");
	total_row(r, "freed", t->frees, t->freed_bytes, "%s", "");
	if (t->peak)
		total_row(r, "peak", t->peak, t->peak_bytes, "  at %s", duration(t->peak_ns));
	total_row(r, "leaked", t->leaked, t->leaked_bytes, "%s",
		  r->status.leaks_final ? "" : "  by threads that ended");
	if (!r->status.leaks_final && live)
		total_row(r, "live", live, t->live_bytes - t->leaked_bytes - t->runtime_bytes,
			  "  not freed when the data ends");
	if (t->runtime)
		total_row(r, "runtime", t->runtime, t->runtime_bytes, "  C/C++ runtime's own, no leak");
	if (t->gone)
		total_row(r, "gone", t->gone, t->gone_bytes, "  with exec of another program");
	if (t->temporary)
		buffer_printf(r->out, "  %-12s %15s block%s %8u %%  freed before the next is made\n",
			      "temporary", number(t->temporary), t->temporary == 1 ? " " : "s",
			      percent(t->temporary, t->allocs));
	if (r->pages.allocs)
		wrapf(r, 2, "%-12s %s mapping%s by the program itself, %s in all, %s at their peak; "
		      "%s still mapped at the end",
		      "mmap", number(r->pages.allocs), plural(r->pages.allocs), bytes(r->pages.alloc_bytes),
		      bytes(r->pages.peak_bytes), bytes(r->pages.live_bytes));
}

static void fold_line(const struct report *r, const struct fold *fold, enum site_cost cost)
{
	struct heap_site site;
	struct heap_thread thread;

	site_get(r->heap, fold->site, &site);
	if (cost == SITE_BY_COUNT)
		buffer_printf(r->out, "  %s allocation%s of %s", number(fold->count), plural(fold->count),
			      bytes(fold->bytes));
	else if (cost == SITE_BY_TEMPORARY)
		buffer_printf(r->out, "  %s of %s allocation%s", number(fold->count),
			      number(fold->allocs), plural(fold->allocs));
	else
		buffer_printf(r->out, "  %s in %s block%s", bytes(fold->bytes), number(fold->count),
			      plural(fold->count));
	if (fold->stacks > 1)
		buffer_printf(r->out, ", %s stacks", number(fold->stacks));
	thread_get(r->heap, site.thread, &thread);
	if (fold->many_threads) {
		buffer_append_string(r->out, ", several threads");
	} else if (thread_count(r->heap) > 1 && thread.name[0]) {
		buffer_append_string(r->out, ", thread ");
		report_clip(thread.name, 20, r->out);
	}
	buffer_append_char(r->out, '\n');
}

/* Who called the place of a fold, unless it is nearly always the same. */
static size_t routes(const struct report *r, const struct fold *fold, enum site_cost cost,
	enum heap_class which, struct fold *out)
{
	size_t found = 0, count = 0;

	if (fold->stacks > 1)
		count = report_routes(r->heap, cost, which, fold, out, ROUTES_SHOWN, &found);
	return found > 1 && out[0].cost < fold->cost / 10 * 9 ? count : 0;
}

static void route_line(const struct report *r, const struct fold *fold, const struct fold *route,
	enum site_cost cost)
{
	struct buffer line = BUFFER_INIT;
	size_t width;

	buffer_printf(&line, "%8u %%  ", percent(route->cost, fold->cost));
	if (cost != SITE_BY_TEMPORARY && cost != SITE_BY_COUNT)
		buffer_printf(&line, "%s in ", bytes(route->bytes));
	buffer_printf(&line, "%s %s%s via ", number(route->count),
		      cost == SITE_BY_TEMPORARY || cost == SITE_BY_COUNT ? "allocation" : "block", plural(route->count));
	width = text_width(buffer_text(&line), line.length);
	buffer_append(r->out, buffer_text(&line), line.length);
	report_route(r->heap, route->site, width < r->options.width ? r->options.width - (unsigned)width : 1, r->out);
	buffer_append_char(r->out, '\n');
	buffer_release(&line);
}

static void fold_print(const struct report *r, const struct fold *fold, enum site_cost cost,
	enum heap_class which, unsigned frames)
{
	struct fold route[ROUTES_SHOWN];
	size_t count = routes(r, fold, cost, which, route);

	fold_line(r, fold, cost);
	report_stack(r->heap, fold->site, count ? 1 : frames, 6, r->options.width, r->out);
	for (size_t i = 0; i < count; i++)
		route_line(r, fold, &route[i], cost);
}

static void top(const struct report *r, const char *title, enum site_cost cost, enum heap_class which,
	unsigned frames, unsigned most)
{
	struct fold *folds = xcalloc(most, sizeof(*folds));
	size_t found, count = report_folds(r->heap, cost, which, folds, most, &found);

	if (count) {
		buffer_printf(r->out, "\n%s", title);
		if (found > count)
			buffer_printf(r->out, " (%zu of %zu call sites)", count, found);
		buffer_append_char(r->out, '\n');
	}
	for (size_t i = 0; i < count; i++)
		fold_print(r, &folds[i], cost, which, frames);
	free(folds);
}

static void sites(const struct report *r)
{
	unsigned most = r->options.top, frames = r->options.frames;
	unsigned minor = most < TOP_MINOR ? most : TOP_MINOR;
	bool final = r->status.leaks_final;

	if (r->blocks.leaked)
		top(r, "Leaked, by call site", SITE_BY_LEAKED, HEAP_BLOCKS, frames, most);
	if (!final)
		top(r, "Live at the end of the data, by call site", SITE_BY_LIVE, HEAP_BLOCKS, frames, most);
	top(r, "At the peak, by call site", SITE_BY_PEAK, HEAP_BLOCKS, frames > 2 ? 2 : frames, most);
	top(r, "Most bytes allocated", SITE_BY_ALLOCATED, HEAP_BLOCKS, frames > 2 ? 2 : frames, minor);
	top(r, "Most allocations", SITE_BY_COUNT, HEAP_BLOCKS, frames > 2 ? 2 : frames, minor);
	if (r->blocks.temporary)
		top(r, "Most temporary allocations", SITE_BY_TEMPORARY, HEAP_BLOCKS, frames > 2 ? 2 : frames, minor);
	if (r->pages.leaked)
		top(r, "Mapped and never unmapped", SITE_BY_LEAKED, HEAP_PAGES, frames > 2 ? 2 : frames, most);
}

/* Columns are as wide as they look, whatever bytes they take. */
static void name_field(const struct report *r, const char *name)
{
	struct buffer clipped = BUFFER_INIT;
	size_t width;

	report_clip(name[0] ? name : "?", NAME_COLUMNS, &clipped);
	width = text_width(buffer_text(&clipped), clipped.length);
	buffer_append_string(r->out, "  ");
	buffer_append(r->out, buffer_text(&clipped), clipped.length);
	buffer_append_repeat(r->out, ' ', width < NAME_COLUMNS ? NAME_COLUMNS - width : 0);
	buffer_release(&clipped);
}

static void thread_row(const struct report *r, const struct heap_thread *t)
{
	name_field(r, t->name);
	buffer_printf(r->out, " %7u %10s %10s %10s %10s", t->tid, number(t->allocs), bytes(t->alloc_bytes),
		      bytes(t->live_bytes), t->leaked ? bytes(t->leaked_bytes) : "-");
	if (r->pages.allocs)
		buffer_printf(r->out, " %10s", t->maps ? bytes(t->map_bytes) : "-");
	if (t->freed_by_others)
		buffer_printf(r->out, "\n  %*s %s of its blocks freed by other threads", (int)NAME_COLUMNS, "",
			      number(t->freed_by_others));
	buffer_append_char(r->out, '\n');
}

static void threads(const struct report *r)
{
	size_t count = thread_count(r->heap);
	uint32_t *order;

	if (count < 2)
		return;
	order = xreallocarray(NULL, count, sizeof(*order));
	thread_sort(r->heap, THREAD_BY_ALLOCATED, false, order);
	buffer_printf(r->out, "\nThreads (%zu)\n  %-*s %7s %10s %10s %10s %10s", count, (int)NAME_COLUMNS,
		      "name", "tid", "blocks", "allocated", "not freed", "leaked");
	buffer_append_string(r->out, r->pages.allocs ? "     mapped\n" : "\n");
	for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
		struct heap_thread thread;

		thread_get(r->heap, order[i], &thread);
		thread_row(r, &thread);
	}
	if (count > THREADS_SHOWN)
		buffer_printf(r->out, "  and %zu more\n", count - THREADS_SHOWN);
	free(order);
}

static void part(const struct report *r, uint64_t size, const char *what)
{
	if (size)
		buffer_printf(r->out, "  %12s  %s\n", bytes(size), what);
}

/* At most what is left; returns how much that was. */
static uint64_t part_of(const struct report *r, uint64_t size, uint64_t rest, const char *what)
{
	if (size > rest)
		size = rest;
	part(r, size, what);
	return size;
}

/* Live bytes that were never touched are not resident, so they explain nothing.  One sample alone
 * was taken at the start, and is no peak. */
static void coverage(const struct report *r)
{
	struct timeline_rss s;
	uint64_t live, explained, rest;

	if (timeline_rss_count(r->heap) < 2 || !timeline_rss_peak(r->heap, &s) || !s.rss)
		return;
	live = s.live_blocks + s.live_pages;
	explained = live < s.anon + s.shmem ? live : s.anon + s.shmem;
	rest = s.anon + s.shmem - explained;
	buffer_append_string(r->out, "\nResident memory\n");
	wrapf(r, 2, "At its highest, at %s, %s were resident, of which the traced allocations explain "
	      "%s (%u %%).", duration(s.ns), bytes(s.rss), bytes(explained), percent(explained, s.rss));
	part(r, s.live_blocks, "live blocks");
	part(r, s.live_pages, "mapped by the program itself");
	if (live > explained)
		part(r, live - explained, "of these not resident (never touched, or swapped out)");
	part(r, s.file, "files: the program, its libraries, mapped data");
	rest -= part_of(r, s.stacks, rest, "main thread's stack");
	rest -= part_of(r, s.shmem, rest, "shared memory, memtrack's event buffers among it");
	part(r, rest, "other: free memory the allocator keeps, data, thread stacks");
	if (s.swap)
		part(r, s.swap, "swapped out");
}

/* Not all of them have a record: the end of the trace has their number. */
static uint64_t children_count(const struct report *r)
{
	const char *fact = heap_fact(r->heap, "children-untraced");
	uint64_t told = fact ? strtoull(fact, NULL, 10) : 0;

	return told > r->status.children ? told : r->status.children;
}

static void children(const struct report *r)
{
	size_t known = heap_child_count(r->heap);
	uint64_t count = children_count(r);
	struct buffer line = BUFFER_INIT;

	if (!count)
		return;
	buffer_printf(&line, "%s child process%s not traced (-f traces them): ", number(count),
		      count == 1 ? " was" : "es were");
	for (size_t i = 0; i < known && i < CHILDREN_SHOWN; i++) {
		uint32_t pid;
		const char *name = heap_child_at(r->heap, i, &pid);

		buffer_printf(&line, "%s%s (%u)", i ? ", " : "", name, pid);
	}
	if (count > CHILDREN_SHOWN)
		buffer_append_string(&line, ", ...");
	wrap(r, 2, buffer_text(&line));
	buffer_release(&line);
}

static void doubts(const struct report *r)
{
	const struct heap_status *s = &r->status;

	if (s->lost)
		wrapf(r, 2, "%s event%s lost: all totals are lower bounds.", number(s->lost),
		      s->lost == 1 ? " was" : "s were");
	if (heap_fact(r->heap, "stacks-unknown"))
		wrapf(r, 2, "%s stacks could not be kept: the table of stacks was full.",
		      heap_fact(r->heap, "stacks-unknown"));
	if (s->double_frees)
		wrapf(r, 2, "%s block%s freed twice.", number(s->double_frees),
		      s->double_frees == 1 ? " was" : "s were");
	if (s->mismatched_frees)
		wrapf(r, 2, "%s block%s released by the wrong function (new and free, say).",
		      number(s->mismatched_frees), s->mismatched_frees == 1 ? " was" : "s were");
	if (s->execs)
		wrapf(r, 2, "The process executed another program %s time%s; what was alive then is "
		      "gone, not leaked.", number(s->execs), plural(s->execs));
	if (s->foreign_lines)
		wrapf(r, 2, "%s line%s of the log %s skipped: not memtrack's, or damaged.", number(s->foreign_lines),
		      plural(s->foreign_lines), s->foreign_lines == 1 ? "was" : "were");
}

static void notes(const struct report *r)
{
	size_t start;

	buffer_append_string(r->out, "\nNotes\n");
	start = r->out->length;
	doubts(r);
	children(r);
	for (size_t i = 0; i < heap_note_count(r->heap); i++)
		wrap(r, 2, heap_note_at(r->heap, i));
	if (r->out->length == start) {
		r->out->length -= sizeof("\nNotes\n") - 1;
		r->out->data[r->out->length] = '\0';
	}
}

void report_text(struct heap *heap, const struct report_options *options, struct buffer *out)
{
	struct report r = { .heap = heap, .out = out };

	if (options)
		r.options = *options;
	if (!r.options.top)
		r.options.top = TOP_DEFAULT;
	if (!r.options.frames)
		r.options.frames = FRAMES_DEFAULT;
	if (!r.options.width)
		r.options.width = WIDTH_DEFAULT;
	if (r.options.width < 40)
		r.options.width = 40;
	heap_status(heap, &r.status);
	heap_totals(heap, HEAP_BLOCKS, &r.blocks);
	heap_totals(heap, HEAP_PAGES, &r.pages);
	heap_totals(heap, HEAP_INNER, &r.inner);
	head(&r);
	totals(&r);
	sites(&r);
	threads(&r);
	coverage(&r);
	footprint_report(heap, out);
	notes(&r);
}
