/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The findings of the text report: wrong frees, each with its stacks. */
#include "model/findings.h"
#include "model/report_parts.h"
#include "model/report_sites.h"
#include "model/threads.h"

#define GROUPS_SHOWN	10u
#define INDENT		4u

/* "new[] of 40 B, thread main, at 1.2ms" */
static void act_text(const struct report *r, const struct finding_act *act, const struct finding *f,
	struct buffer *out)
{
	struct heap_thread thread;

	buffer_append_string(out, finding_op_label(act->op));
	if (act == &f->alloc)
		buffer_printf(out, " of %s", report_bytes(f->size));
	if (act->thread != HEAP_NONE) {
		thread_get(r->heap, act->thread, &thread);
		buffer_append_string(out, ", thread ");
		if (thread.name[0])
			report_clip(thread.name, 20, out);
		else
			buffer_printf(out, "%u", thread.tid);
	}
	buffer_printf(out, ", at %s", report_duration(act->ns));
}

static void act_print(const struct report *r, const char *what, const struct finding_act *act,
	const struct finding *f)
{
	struct buffer line = BUFFER_INIT;

	buffer_append_repeat(r->out, ' ', INDENT);
	buffer_printf(&line, "%-11s ", what);
	act_text(r, act, f, &line);
	report_clip(buffer_text(&line), r->options.width - INDENT, r->out);
	buffer_append_char(r->out, '\n');
	buffer_release(&line);
	if (act->stack != HEAP_NONE)
		report_frames(r->heap, act->stack, r->options.frames, INDENT + 2, r->options.width, r->out);
	else
		report_wrapf(r, INDENT + 2, "%s", act == &f->alloc || f->inferred || act != &f->earlier ?
			     "no stack was recorded" : "no stack was recorded (--free-stacks records those of frees)");
}

static void mismatch(const struct report *r, const struct finding *f)
{
	const char *alloc = f->alloc.known ? finding_op_label(f->alloc.op) : f->family ? f->family : "another function";

	report_wrapf(r, 2, "%s block%s from %s %s released by %s%s", report_number(f->count),
		     report_plural(f->count), alloc, f->count == 1 ? "was" : "were", finding_op_label(f->free.op), f->inferred ? " (inferred)" : "");
	if (f->alloc.known)
		act_print(r, "allocated", &f->alloc, f);
	act_print(r, "released", &f->free, f);
}

static void double_free(const struct report *r, const struct finding *f)
{
	report_wrapf(r, 2, "%s double free%s%s", report_number(f->count), report_plural(f->count),
		     f->inferred ? " (inferred)" : "");
	if (f->alloc.known)
		act_print(r, "allocated", &f->alloc, f);
	if (f->earlier.known)
		act_print(r, "freed", &f->earlier, f);
	else
		report_wrap(r, INDENT, r->status.sample ? "freed before; the block is not in the sample" :
			    "freed before, too long ago to say where");
	act_print(r, "freed again", &f->free, f);
}

static void unknown(const struct report *r, const struct finding *f)
{
	report_wrapf(r, 2, "%s %s of a pointer that no traced call returned (0x%llx, say)%s",
		     report_number(f->count), f->count == 1 ? "free" : "frees", (unsigned long long)f->ptr,
		     f->inferred ? " (inferred)" : "");
	act_print(r, "freed", &f->free, f);
}

void report_finding(const struct report *r, size_t index)
{
	static void (*const print[])(const struct report *, const struct finding *) = {
		[FINDING_MISMATCH] = mismatch, [FINDING_DOUBLE] = double_free, [FINDING_UNKNOWN] = unknown,
	};
	struct finding f;

	finding_get(r->heap, index, &f);
	print[f.kind](r, &f);
	if (f.fatal)
		report_wrap(r, INDENT, "The program was aborted right there (SIGABRT).");
}

static void head(const struct report *r, const struct finding_sums *sums)
{
	static const char *const many[FINDING_KINDS] = { "mismatches", "double frees", "unknown pointers" };
	const char *separator = "";

	buffer_printf(r->out, "\nFindings (");
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
		uint64_t count = sums->kinds[kind];

		if (!count)
			continue;
		buffer_printf(r->out, "%s%s %s", separator, report_number(count),
			      count == 1 ? finding_kind_label((enum finding_kind)kind) : many[kind]);
		separator = ", ";
	}
	buffer_append_string(r->out, ")\n");
}

/* What corrupts the heap comes first. */
static const uint8_t order[] = { FINDING_DOUBLE, FINDING_UNKNOWN, FINDING_MISMATCH };

void report_findings(const struct report *r)
{
	size_t count = finding_count(r->heap), most = r->options.all ? count : GROUPS_SHOWN;
	struct finding_sums sums;

	finding_sums(r->heap, &sums);
	if (!sums.all)
		return;
	head(r, &sums);
	for (size_t k = 0, printed = 0; k < sizeof(order); k++) {
		for (size_t i = 0; i < count && printed < most; i++) {
			struct finding f;

			finding_get(r->heap, i, &f);
			if (f.kind != order[k])
				continue;
			report_finding(r, i);
			printed++;
		}
	}
	if (count > most)
		report_wrapf(r, 2, "and %s more kinds of them (memview --report --all shows all)",
			     report_number(count - most));
	if (sums.beyond)
		report_wrapf(r, 2, "%s more from other places were counted, not kept", report_number(sums.beyond));
	if (sums.inferred)
		report_wrap(r, 2, "Inferred: the hook did not watch for wrong frees; how the events match tells.");
}
