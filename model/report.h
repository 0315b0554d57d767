/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text report: what the run did to memory, on one or two screens of 80 columns. */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H

#include "model/heap.h"

struct buffer;
struct report_job;

struct report_options {
	unsigned top;		/* call sites a table; 0: 5 */
	unsigned frames;	/* frames a call site; 0: 4 */
	unsigned width;		/* columns; 0: 80 */
	bool all;		/* findings and processes without end, not only the first ones */
	size_t session;		/* only this one of several processes; SIZE_MAX, or 0 of one: all */
};
#define REPORT_OPTIONS_INIT	{ .session = SIZE_MAX }

/* Append the report to out, sanitised, lines ended by \n; of a stream with several processes, a table of
 * them and one report for each.  options may be NULL. */
void report_text(struct heap *heap, const struct report_options *options, struct buffer *out);

/* The same of one process (options->session, or the only one) in steps, of at most about max call sites
 * each; out is complete when one returns true.  Totals are those of the start, whatever comes
 * meanwhile; heap and out must live as long as the job. */
struct report_job *report_begin(struct heap *heap, const struct report_options *options, struct buffer *out);
bool report_step(struct report_job *job, size_t max);
void report_free(struct report_job *job);

/* The same figures as one line of JSON, {"processes":[...]}: a number, or in a sampled trace value,
 * low and high of the 95 % interval.  top 0: 100 call sites, those with most bytes. */
void report_json(struct heap *heap, const struct report_options *options, struct buffer *out);

#endif
