/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a selection as plain text, piece by piece, so that a viewer can write a large one
 * without stopping.
 *
 *	export_head(s, false, &b);
 *	for (row = 0; row < select_count(s); row += 1000)
 *		export_records(s, row, 1000, true, &b), write out, buffer_clear
 */
#ifndef MODEL_EXPORT_H
#define MODEL_EXPORT_H

#include "model/select.h"

struct buffer;

/* What was traced, the filter in words, the sums. */
void export_head(const struct selection *selection, bool groups, struct buffer *out);

/* At most count rows from first on; stacks: with the frames of both stacks. */
void export_records(const struct selection *selection, size_t first, size_t count, bool stacks,
	struct buffer *out);
void export_groups(const struct selection *selection, size_t first, size_t count, bool stacks,
	struct buffer *out);
/* The findings of the heap, whatever is selected. */
void export_findings(const struct selection *selection, size_t first, size_t count, bool stacks,
	struct buffer *out);

#endif
