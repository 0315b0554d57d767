/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What people ask for while a program is traced, by a viewer or by a verb: markers, pauses, snapshots.  All that is
 * done shows in the traces themselves. */
#ifndef LAUNCHER_ORDERS_H
#define LAUNCHER_ORDERS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "wire/command.h"

struct process;
struct tracer;

enum order_result { ORDER_DONE, ORDER_REFUSED, ORDER_LATER };

/* Does it, or says why not: text gets words for whoever asked.  ORDER_LATER: orders_snapshot_over will tell. */
enum order_result orders_obey(struct tracer *tracer, const struct wire_command *command, struct buffer *text);

/* The same for a viewer, who is told by the trace. */
void orders_obey_viewer(struct tracer *tracer, const struct wire_command *command);

/* After tracer->snapshot.pipe was readable: true when a snapshot is over; its text is in the traces, too. */
bool orders_snapshot_over(struct tracer *tracer, bool *good, struct buffer *text);

/* A process whose session begins while recording is paused. */
void orders_join(struct tracer *tracer, struct process *process);

#endif
