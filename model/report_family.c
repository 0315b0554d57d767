/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a run (memtrack -f) in the text report. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/findings.h"
#include "model/report_parts.h"
#include "model/report_sites.h"

#define ROWS_SHOWN	30u
#define RELATIVES_SHOWN	12u
#define NAME_COLUMNS	22u

/* Text in so many columns, however wide its characters are. */
static void field(const struct report *r, const char *text, unsigned columns)
{
	struct buffer clipped = BUFFER_INIT;
	size_t width;

	report_clip(text, columns, &clipped);
	width = text_width(buffer_text(&clipped), clipped.length);
	buffer_append(r->out, buffer_text(&clipped), clipped.length);
	buffer_append_repeat(r->out, ' ', width < columns ? columns - width : 0);
	buffer_release(&clipped);
}

static const char *fact_or(const struct heap *heap, const char *key, const char *other)
{
	const char *fact = heap_fact(heap, key);

	return fact ? fact : other;
}

/* "exit 1", "signal 11", "running" */
static void put_end(struct buffer *out, enum heap_end_how end, uint32_t value, bool final)
{
	switch (end) {
	case HEAP_EXITED:
		buffer_printf(out, "exit %u", value);
		break;
	case HEAP_KILLED:
		buffer_printf(out, "signal %u", value);
		break;
	case HEAP_DETACHED:
		buffer_append_string(out, "let go");
		break;
	case HEAP_ENDED:
		buffer_append_string(out, "ended");
		break;
	default:
		buffer_append_string(out, final ? "no end" : "running");
	}
}

static void family_row(const struct report *r, size_t index, struct heap_totals *sum)
{
	struct heap *heap = heap_session_at(r->heap, index);
	struct finding_sums found;
	struct heap_status status;
	struct heap_totals t;

	heap_status(heap, &status);
	heap_totals(heap, HEAP_BLOCKS, &t);
	finding_sums(heap, &found);
	sum->allocs += t.allocs;
	sum->alloc_bytes += t.alloc_bytes;
	sum->leaked_bytes += t.leaked_bytes;
	if (index >= ROWS_SHOWN && !r->options.all)
		return;
	buffer_printf(r->out, "  %4zu %8s ", index, fact_or(heap, "pid", "?"));
	field(r, fact_or(heap, "command", "(not recorded)"), NAME_COLUMNS);
	buffer_printf(r->out, " %10s %10s %10s", report_about_bytes(t.alloc_bytes, t.margin.alloc_bytes),
		      report_about_bytes(t.peak_bytes, t.margin.peak_bytes),
		      t.leaked ? report_about_bytes(t.leaked_bytes, t.margin.leaked_bytes) : "-");
	buffer_append_string(r->out, "  ");
	put_end(r->out, status.end, status.end_value, status.data_ended);
	if (found.all)
		buffer_printf(r->out, ", %s finding%s", report_number(found.all), report_plural(found.all));
	buffer_append_char(r->out, '\n');
}

void report_family(const struct report *r)
{
	size_t count = heap_session_count(r->heap);
	struct heap_totals sum = { .allocs = 0 };

	buffer_append_string(r->out, "memtrack: ");
	report_clip(fact_or(r->heap, "command", "(command not recorded)"), r->options.width - 10, r->out);
	buffer_printf(r->out, "\n\nProcesses (%s)\n  %4s %8s %-*s %10s %10s %10s  %s\n", report_number(count), "no.", "pid",
		      (int)NAME_COLUMNS, "command", "allocated", "peak", "leaked", "end");
	for (size_t i = 0; i < count; i++)
		family_row(r, i, &sum);
	if (count > ROWS_SHOWN && !r->options.all)
		buffer_printf(r->out, "  and %s more\n", report_number(count - ROWS_SHOWN));
	report_wrapf(r, 2, "Together they made %s blocks of %s, and leaked %s.", report_number(sum.allocs),
		     report_bytes(sum.alloc_bytes), report_bytes(sum.leaked_bytes));
}

void report_rule(const struct report *r, size_t session)
{
	const struct heap *heap = heap_session_at(r->heap, session);
	size_t start, width;

	buffer_append_char(r->out, '\n');
	start = r->out->length;
	buffer_printf(r->out, "== process %zu: pid ", session);
	report_clip(fact_or(heap, "pid", "?"), 12, r->out);
	buffer_append_char(r->out, ' ');
	width = text_width(r->out->data + start, r->out->length - start);
	buffer_append_repeat(r->out, '=', width < r->options.width ? r->options.width - width : 0);
	buffer_append_char(r->out, '\n');
}

/* Where this one came from. */
static void parent(const struct report *r)
{
	const char *name = heap_fact(r->heap, "parent"), *trace = heap_fact(r->heap, "parent-trace");
	const char *pid = heap_fact(r->heap, "ppid"), *root = heap_fact(r->heap, "root-trace");

	if (!name)
		return;
	report_wrapf(r, 2, "A child of %s (%s)%s%s%s%s.", name, pid ? pid : "?", trace ? ", whose trace is " : "",
		     trace ? trace : "", root && (!trace || strcmp(root, trace)) ? "; the run began in " : "",
		     root && (!trace || strcmp(root, trace)) ? root : "");
}

static void relative(const struct report *r, size_t index)
{
	struct heap_relative rel;
	struct buffer line = BUFFER_INIT;

	heap_relative_at(r->heap, index, &rel);
	buffer_printf(&line, "%8u %s, ", rel.pid, rel.name[0] ? rel.name : "?");
	put_end(&line, rel.end, rel.end_value, r->status.data_ended);
	if (rel.file[0])
		buffer_printf(&line, ": %s", rel.file);
	buffer_append_string(r->out, "  ");
	report_clip(buffer_text(&line), r->options.width - 2, r->out);
	buffer_append_char(r->out, '\n');
	buffer_release(&line);
}

/* Those of the same stream are in its table. */
static bool elsewhere(const struct report *r)
{
	struct heap_relative rel;

	if (!heap_relative_count(r->heap))
		return false;
	heap_relative_at(r->heap, 0, &rel);
	return rel.file[0] != 0;
}

void report_relatives(const struct report *r)
{
	size_t count = heap_relative_count(r->heap), most = r->options.all ? count : RELATIVES_SHOWN;

	parent(r);
	if (!elsewhere(r))
		return;
	buffer_printf(r->out, "\n%s\n", heap_fact(r->heap, "parent") ? "Children, each with its own trace" :
		      "Other processes of the run, each with its own trace");
	for (size_t i = 0; i < count && i < most; i++)
		relative(r, i);
	if (count > most)
		report_wrapf(r, 2, "and %s more", report_number(count - most));
}

static bool is_number(const char *fact, uint64_t number)
{
	return fact && strtoull(fact, NULL, 10) == number;
}

/* A fork child of this process that was there when it ended: of the same stream by its clock, of
 * another trace when it was never seen to end.  Its pid, or 0. */
static uint64_t outlived_by(const struct report *r)
{
	const char *fact = heap_fact(r->heap, "pid");
	uint64_t pid = fact ? strtoull(fact, NULL, 10) : 0;
	struct heap_relative rel;

	for (size_t i = 0; i < heap_relative_count(r->heap); i++) {
		heap_relative_at(r->heap, i, &rel);
		if (rel.forked && rel.parent == pid && rel.file[0] && rel.end == HEAP_RUNNING)
			return rel.pid;
	}
	for (size_t i = 0; i < heap_session_count(r->root); i++) {
		const struct heap *other = heap_session_at(r->root, i);
		const char *came = heap_fact(other, "came");

		if (came && !strcmp(came, "fork") && is_number(heap_fact(other, "ppid"), pid) &&
		    heap_ended_before(r->heap, other))
			return strtoull(heap_fact(other, "pid") ? heap_fact(other, "pid") : "0", NULL, 10);
	}
	return 0;
}

void report_outlived(const struct report *r)
{
	uint64_t pid = r->status.leaks_final && r->blocks.leaked ? outlived_by(r) : 0;

	if (pid)
		report_wrapf(r, 2, "Its fork child %llu went on with a copy of this heap (as daemons begin): what is "
			     "called leaked here may be in use, and may be freed, there.", (unsigned long long)pid);
}
