/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text report. */
#include "model/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "base/units.h"
#include "model/footprint.h"
#include "model/report_parts.h"
#include "model/report_sites.h"
#include "model/state.h"
#include "model/threads.h"
#include "model/timeline.h"

#define TOP_DEFAULT	5u
#define FRAMES_DEFAULT	4u
#define WIDTH_DEFAULT	80u
#define THREADS_SHOWN	6u
#define CHILDREN_SHOWN	5u
#define NAME_COLUMNS	15u
#define PROCESSES_SHOWN	8u

static void attached(const struct report *r)
{
	const char *patched = heap_fact(r->heap, "patched"), *unpatched = heap_fact(r->heap, "unpatched");

	report_wrap(r, 2, "Attached while it ran: all figures count from then on, and blocks from before are in "
		    "none of them.");
	if (patched)
		report_wrapf(r, 2, "Patched: %s.", patched);
	if (unpatched)
		report_wrapf(r, 2, "Not all is seen: %s.", unpatched);
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
	report_end(&r->status, &line);
	buffer_printf(&line, " after %s; %s events", report_duration(r->status.now_ns),
		      report_number(r->status.events));
	if (method)
		buffer_printf(&line, ", method %s", method);
	report_wrap(r, 2, buffer_text(&line));
	buffer_release(&line);
	if (r->status.attached)
		attached(r);
	if (r->status.sample)
		report_wrapf(r, 2, "A sample: about one block in %s allocated was recorded. Figures marked ~ are "
			     "estimates; with 95 %% probability the true ones are not further off than said behind +-, "
			     "if dozens of blocks were recorded for them.", report_bytes(r->status.sample));
}

/* What the recording left out by request: figures without it are not the program's. */
static void left_out(const struct report *r)
{
	const char *size = heap_fact(r->heap, "min-size"), *threads = heap_fact(r->heap, "track-threads");
	uint64_t least = size ? strtoull(size, NULL, 10) : 0;

	if (least)
		report_wrapf(r, 2, "Blocks below %s were left out (--min-size).", report_bytes(least));
	if (threads)
		report_wrapf(r, 2, "Only threads whose name holds one of these were recorded (--track-threads): %s",
			     threads);
}

static void own_allocator(const struct report *r)
{
	char *text = footprint_allocator(r->heap);

	if (text)
		report_wrap(r, 2, text);
	free(text);
}

static void total_row(const struct report *r, const char *what, uint64_t count, uint64_t size,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
static void total_row(const struct report *r, const char *what, uint64_t count, uint64_t size,
	const char *format, ...)
{
	va_list args;

	buffer_printf(r->out, "  %-12s %15s block%s %10s", what, report_number(count),
		      count == 1 ? " " : "s", report_bytes(size));
	va_start(args, format);
	buffer_vprintf(r->out, format, args);
	va_end(args);
	buffer_append_char(r->out, '\n');
}

/* An estimate, and how far off it may be; without margins a plain row. */
static void estimate_row(const struct report *r, const char *what, const uint64_t figures[2],
	const uint64_t margins[2], const char *more)
{
	if (!margins[0] && !margins[1]) {
		total_row(r, what, figures[0], figures[1], "%s", more);
		return;
	}
	buffer_printf(r->out, "  %-12s %15s block%s %10s%s\n", what, report_about_number(figures[0], margins[0]),
		      figures[0] == 1 ? " " : "s", report_about_bytes(figures[1], margins[1]), more);
	buffer_printf(r->out, "  %12s %15s        %10s\n", "+-", report_number(margins[0]), report_bytes(margins[1]));
}

#define ROW(r, what, t, figure, more) \
	estimate_row(r, what, (uint64_t[]){ (t)->figure, (t)->figure##_bytes }, \
		     (uint64_t[]){ (t)->margin.figure, (t)->margin.figure##_bytes }, more)

/* Sampled traces count all allocations beside: the estimate of the same is a check of the others. */
static void allocated_rows(const struct report *r)
{
	const struct heap_totals *t = &r->blocks;
	uint64_t figures[] = { t->allocs, t->alloc_bytes }, margins[] = { t->margin.allocs, t->margin.alloc_bytes };
	uint64_t freed[] = { t->frees, t->freed_bytes }, freed_margins[] = { t->margin.frees, t->margin.freed_bytes };
	struct heap_exact exact;

	if (r->status.sample && heap_exact(r->heap, HEAP_NONE, &exact)) {
		total_row(r, "allocated", exact.allocs, exact.alloc_bytes, "  counted exactly");
		estimate_row(r, "by sample", figures, margins, "  the same, estimated");
	} else {
		estimate_row(r, "allocated", figures, margins, "");
	}
	estimate_row(r, "freed", freed, freed_margins, "");
	if (r->status.older_frees)
		buffer_printf(r->out, "  %-12s %15s block%s %10s  freed, allocated before attach\n", "older",
			      report_number(r->status.older_frees), r->status.older_frees == 1 ? " " : "s", "?");
}

static void live_rows(const struct report *r)
{
	const struct heap_totals *t = &r->blocks;
	uint64_t away = t->leaked + t->runtime, away_bytes = t->leaked_bytes + t->runtime_bytes;
	uint64_t figures[] = {
		t->live > away ? t->live - away : 0, t->live_bytes > away_bytes ? t->live_bytes - away_bytes : 0,
	};
	uint64_t margins[] = { t->margin.live, t->margin.live_bytes };

	ROW(r, "leaked", t, leaked, r->status.leaks_final ? "" : "  by threads that ended");
	if (!r->status.leaks_final && figures[0])
		estimate_row(r, "live", figures, margins, "  not freed when the data ends");
}

static void totals(const struct report *r)
{
	const struct heap_totals *t = &r->blocks;
	char when[64];

	snprintf(when, sizeof(when), "  at %s", report_duration(t->peak_ns));
	buffer_append_string(r->out, "\nHeap\n");
	allocated_rows(r);
	if (t->peak)
		ROW(r, "peak", t, peak, when);
	live_rows(r);
	if (t->runtime)
		total_row(r, "runtime", t->runtime, t->runtime_bytes, "  C/C++ runtime's own, no leak");
	if (t->gone)
		total_row(r, "gone", t->gone, t->gone_bytes, "  with exec of another program");
	if (t->temporary)
		buffer_printf(r->out, "  %-12s %15s block%s %8u %%  freed before the next is made\n",
			      "temporary", report_number(t->temporary), t->temporary == 1 ? " " : "s",
			      report_percent(t->temporary, t->allocs));
	if (r->pages.allocs)
		report_wrapf(r, 2, "%-12s %s mapping%s by the program itself, %s in all, %s at their peak; "
		      "%s (%s) still mapped at the end",
		      "mmap", report_number(r->pages.allocs), report_plural(r->pages.allocs),
		      report_bytes(r->pages.alloc_bytes), report_bytes(r->pages.peak_bytes),
		      report_number(r->pages.live), report_bytes(r->pages.live_bytes));
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

/* Under the columns of a sampled trace's row. */
static void thread_margins(const struct report *r, const struct heap_thread *t, bool exact)
{
	const struct heap_margin *m = &t->margin;

	buffer_printf(r->out, "\n  %*s %7s %10s %10s %10s %10s", (int)NAME_COLUMNS, "", "+-",
		      exact ? "exact" : report_number(m->allocs), exact ? "exact" : report_bytes(m->alloc_bytes),
		      report_bytes(m->live_bytes), t->leaked ? report_bytes(m->leaked_bytes) : "");
}

static void thread_row(const struct report *r, const struct heap_thread *t)
{
	const struct heap_margin *m = &t->margin;
	struct heap_exact counts = { .allocs = t->allocs, .alloc_bytes = t->alloc_bytes };
	bool exact = r->status.sample && heap_exact(r->heap, t->index, &counts);

	if (!exact)
		counts = (struct heap_exact){ .allocs = t->allocs, .alloc_bytes = t->alloc_bytes };
	name_field(r, t->name);
	buffer_printf(r->out, " %7u %10s %10s %10s %10s", t->tid,
		      report_about_number(counts.allocs, exact ? 0 : m->allocs),
		      report_about_bytes(counts.alloc_bytes, exact ? 0 : m->alloc_bytes),
		      report_about_bytes(t->live_bytes, m->live_bytes),
		      t->leaked ? report_about_bytes(t->leaked_bytes, m->leaked_bytes) : "-");
	if (r->pages.allocs)
		buffer_printf(r->out, " %10s", t->maps ? report_bytes(t->map_bytes) : "-");
	if (m->allocs)
		thread_margins(r, t, exact);
	if (t->freed_by_others)
		buffer_printf(r->out, "\n  %*s %s of its blocks freed by other threads", (int)NAME_COLUMNS, "",
			      report_about_number(t->freed_by_others, m->allocs));
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
	buffer_printf(r->out, "\nThreads (%s)\n  %-*s %7s %10s %10s %10s %10s", report_number(count), (int)NAME_COLUMNS,
		      "name", "tid", "blocks", "allocated", "not freed", "leaked");
	buffer_append_string(r->out, r->pages.allocs ? "     mapped\n" : "\n");
	for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
		struct heap_thread thread;

		thread_get(r->heap, order[i], &thread);
		thread_row(r, &thread);
	}
	if (count > THREADS_SHOWN)
		buffer_printf(r->out, "  and %s more\n", report_number(count - THREADS_SHOWN));
	free(order);
}

static void part(const struct report *r, uint64_t size, const char *what)
{
	if (size)
		buffer_printf(r->out, "  %12s  %s\n", report_bytes(size), what);
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
	report_wrapf(r, 2, "At its highest, at %s, %s were resident, of which the traced allocations explain "
	      "%s (%u %%).", report_duration(s.ns), report_bytes(s.rss), report_bytes(explained), report_percent(explained, s.rss));
	part(r, s.live_blocks, r->status.sample ? "live blocks, estimated" : "live blocks");
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

/* Those that nobody asked for, or those that could not be followed. */
static uint64_t children_list(const struct report *r, bool asked, struct buffer *out)
{
	uint64_t count = 0;

	for (size_t i = 0; i < heap_child_count(r->heap); i++) {
		const char *reason, *name;
		uint32_t pid;

		name = heap_child_at(r->heap, i, &pid, &reason);
		if ((reason[0] != 0) != asked)
			continue;
		if (count < CHILDREN_SHOWN)
			buffer_printf(out, "%s%s (%u%s%s)", count ? ", " : "", name, pid, asked ? ": " : "", reason);
		count++;
	}
	return count;
}

static void children(const struct report *r)
{
	struct buffer names = BUFFER_INIT, failed = BUFFER_INIT;
	uint64_t listed = children_list(r, false, &names), refused = children_list(r, true, &failed);
	uint64_t count = children_count(r);

	/* Nobody sees those that neither allocate nor execute anything, and the children of children. */
	count = count > listed + refused ? count - refused : listed;
	if (count)
		report_wrapf(r, 2, "At least %s child process%s not traced%s: %s%s", report_number(count),
			     count == 1 ? " was" : "es were", heap_fact(r->heap, "attached") ? "" : " (-f traces them)",
			     buffer_text(&names),
			     count > (listed < CHILDREN_SHOWN ? listed : CHILDREN_SHOWN) ? ", ..." : "");
	if (refused)
		report_wrapf(r, 2, "%s child process%s could not be traced: %s%s", report_number(refused),
			     refused == 1 ? "" : "es", buffer_text(&failed), refused > CHILDREN_SHOWN ? ", ..." : "");
	buffer_release(&names);
	buffer_release(&failed);
}

static void doubts(const struct report *r)
{
	const struct heap_status *s = &r->status;
	const char *stacks = heap_fact(r->heap, "stacks-unknown");

	if (s->lost)
		report_wrapf(r, 2, "%s event%s lost: what was allocated and freed are lower bounds; what is "
			     "live, leaked or at the peak may be wrong either way.", report_number(s->lost),
			     s->lost == 1 ? " was" : "s were");
	if (stacks)
		report_wrapf(r, 2, "%s stacks could not be kept: the table of stacks was full.",
			     report_number(strtoull(stacks, NULL, 10)));
	if (s->execs)
		report_wrapf(r, 2, "The process executed another program %s time%s; what was alive then is "
		      "gone, not leaked.", report_number(s->execs), report_plural(s->execs));
	if (s->foreign_lines)
		report_wrapf(r, 2, "%s line%s of the log %s skipped: not memtrack's, or damaged.", report_number(s->foreign_lines),
		      report_plural(s->foreign_lines), s->foreign_lines == 1 ? "was" : "were");
}

static void notes(const struct report *r)
{
	size_t start;

	buffer_append_string(r->out, "\nNotes\n");
	start = r->out->length;
	doubts(r);
	report_outlived(r);
	children(r);
	for (size_t i = 0; i < heap_note_count(r->heap); i++)
		report_wrap(r, 2, heap_note_at(r->heap, i));
	if (r->out->length == start) {
		r->out->length -= sizeof("\nNotes\n") - 1;
		r->out->data[r->out->length] = '\0';
	}
}

static void footprint(const struct report *r)
{
	footprint_report(r->heap, r->out);
}

static void (*const sections[])(const struct report *r) = {
	head, left_out, report_pauses, own_allocator, report_relatives, report_findings, totals, NULL /* call sites */,
	threads, coverage, footprint, report_markers, notes,
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

struct report_job {
	struct report report;
	size_t sites;			/* when it was begun: of these it is learnt which are wrappers */
	bool learnt;
	unsigned section;
	struct report_tops tops;
};

static void options_fill(struct report_options *options)
{
	if (!options->top)
		options->top = TOP_DEFAULT;
	if (!options->frames)
		options->frames = FRAMES_DEFAULT;
	if (!options->width)
		options->width = WIDTH_DEFAULT;
	if (options->width < 40)
		options->width = 40;
}

static struct report_job *job_new(struct heap *heap, const struct report *how)
{
	struct report_job *job = xcalloc(1, sizeof(*job));
	struct report *r = &job->report;

	*r = (struct report){ .root = how->heap, .heap = heap, .options = how->options, .out = how->out };
	job->sites = heap->sites.count;
	heap_status(heap, &r->status);
	heap_totals(heap, HEAP_BLOCKS, &r->blocks);
	heap_totals(heap, HEAP_PAGES, &r->pages);
	heap_totals(heap, HEAP_INNER, &r->inner);
	return job;
}

struct report_job *report_begin(struct heap *heap, const struct report_options *options, struct buffer *out)
{
	struct report how = { .heap = heap, .options = *options, .out = out };

	options_fill(&how.options);
	return job_new(heap_session_at(heap, options->session < heap_session_count(heap) ? options->session : 0), &how);
}

bool report_step(struct report_job *job, size_t max)
{
	const struct report *r = &job->report;

	if (!job->learnt) {
		job->learnt = wrappers_step(r->heap, max) && r->heap->wrappers.sites >= job->sites;
		return false;
	}
	if (job->section < SECTIONS && !sections[job->section]) {
		job->section += report_tops_step(r, &job->tops, max);
		return false;
	}
	if (job->section < SECTIONS)
		sections[job->section++](r);
	return job->section == SECTIONS;
}

void report_free(struct report_job *job)
{
	if (job)
		report_tops_release(&job->tops);
	free(job);
}

static void report_one(struct heap *heap, const struct report *how)
{
	struct report_job *job = job_new(heap, how);

	while (!report_step(job, SIZE_MAX))
		;
	report_free(job);
}

void report_text(struct heap *heap, const struct report_options *options, struct buffer *out)
{
	struct report how = { .heap = heap, .options = REPORT_OPTIONS_INIT, .out = out };
	size_t count = heap_session_count(heap);

	if (options)
		how.options = *options;
	options_fill(&how.options);
	if (count == 1 || how.options.session < count) {
		report_one(heap_session_at(heap, count == 1 ? 0 : how.options.session), &how);
		return;
	}
	report_family(&how);
	for (size_t i = 0; i < count && (how.options.all || i < PROCESSES_SHOWN); i++) {
		report_rule(&how, i);
		report_one(heap_session_at(heap, i), &how);
	}
	if (count > PROCESSES_SHOWN && !how.options.all)
		report_wrapf(&how, 0, "%s more processes (--all shows all, --session N one of them)",
			     report_number(count - PROCESSES_SHOWN));
}
