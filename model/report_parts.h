/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of the text report: what its sections share. */
#ifndef MODEL_REPORT_PARTS_H
#define MODEL_REPORT_PARTS_H

#include "base/buffer.h"
#include "model/report.h"

struct report {
	struct heap *root;	/* what was fed: leads to the other processes of the stream */
	struct heap *heap;
	struct report_options options;
	struct heap_status status;
	struct heap_totals blocks, pages, inner;
	struct buffer *out;
};

/* Numbers as text; at most eight of a kind are good at a time. */
const char *report_bytes(uint64_t value);
const char *report_number(uint64_t value);
const char *report_duration(uint64_t ns);
unsigned report_percent(uint64_t part, uint64_t whole);
const char *report_plural(uint64_t count);

/* An estimate is marked by ~ in front: the margin of an exact figure is 0. */
const char *report_about_bytes(uint64_t value, uint64_t margin);
const char *report_about_number(uint64_t value, uint64_t margin);

/* A paragraph, words wrapped at the width, following lines indented. */
void report_wrap(const struct report *r, unsigned indent, const char *text);
void report_wrapf(const struct report *r, unsigned indent, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* How the process ended: "exited with status 0", "is running". */
void report_end(const struct heap_status *status, struct buffer *out);

/* The tables of call sites, a part at each call: of one at most max sites.  true: that was the last. */
struct folder;
struct report_tops {
	unsigned table;
	struct folder *folder;
};
bool report_tops_step(const struct report *r, struct report_tops *tops, size_t max);
void report_tops_release(struct report_tops *tops);

/* Sections. */
void report_findings(const struct report *r);
void report_finding(const struct report *r, size_t index);
void report_family(const struct report *r);	/* a table of the processes of one stream */
void report_rule(const struct report *r, size_t session); /* a line above each process's own report */
void report_outlived(const struct report *r);	/* by a child that has a copy of the heap */
void report_pauses(const struct report *r);	/* a line, if there were any */
void report_markers(const struct report *r);	/* a list of them */
void report_relatives(const struct report *r);	/* the processes around this one */

#endif
