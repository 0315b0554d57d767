/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log's beginning and end. */
#include "hook/log.h"

#include <errno.h>

#include "hook/core.h"
#include "hook/log_frames.h"
#include "hook/log_notice.h"
#include "hook/memory.h"

struct log log_state = { .file = { .fd = -1 } };

bool log_init(void)
{
	struct log *log = &log_state;

	log->threads = hook_reserve(hook.threads_max * sizeof *log->threads);
	log->out = hook_reserve(LOG_OUT_BYTES);
	return log->threads && log->out && log_flush_init() && (!hook.depth || log_frames_init());
}

static void log_end_notice(long error)
{
	char text[80];

	hook_copy_string(text, log_error(error), sizeof text - 24);
	hook_copy_string(text + hook_strlen(text), "; recording has ended", 24);
	log_notice("cannot write the log: ", NULL, text);
}

void log_end(long error)
{
	struct log *log = &log_state;

	if (!core_recording())
		return;
	core_stop("the log has ended");
	if (error == -EBADF)
		log_notice("the program closed the log's descriptor; recording has ended", NULL, "");
	else if (error)
		log_end_notice(error);
	if (!log->sandboxed && log_file_same(&log->file))
		raw_call(RAW_NR_close, log->file.fd, 0, 0, 0, 0);
	log->file.fd = -1;
}
