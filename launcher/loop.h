/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The main thread's loop while anything is traced. */
#ifndef LAUNCHER_LOOP_H
#define LAUNCHER_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "launcher/behind.h"
#include "launcher/control.h"
#include "launcher/near.h"
#include "launcher/serve.h"
#include "launcher/signals.h"
#include "launcher/tracer.h"
#include "symbols/target.h"

struct loop {
	struct tracer *tracer;
	struct signals *signals;
	struct server *server;		/* or NULL */
	struct near *near;
	struct behind *behind;		/* of --view, or NULL */
	struct control *control;
	pid_t pid;			/* the started target, our child */
	struct target_facts *facts;
	bool facts_known;
	uint64_t notice_ns;		/* when its silence becomes worth a line; 0: not (any more) */

	/* out */
	bool ended;
	enum trace_end_how how;
	uint32_t value;
	uint64_t ended_ns;
	bool interrupted;		/* the user did not want to wait for the rest */
	bool left;			/* the target goes on untraced; it has not ended */
	bool detached;			/* whoever outlives the target was let go */
	bool keyed;			/* the terminal's interrupt key came while the target ran */
	bool mirrored;			/* we were stopped with the target: the next SIGCONT is known to it */
};

/* Returns when the target and all that is traced have ended and every output is complete, or
 * when the user interrupted that. */
void loop_run(struct loop *loop);

#endif
