/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting alone, and the moments at which the log moves. */
#include "hook/standalone.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>

#include "hook/clock.h"
#include "hook/core.h"
#include "hook/log.h"
#include "hook/log_cursor.h"
#include "hook/log_frames.h"
#include "hook/log_notice.h"
#include "hook/resolve.h"
#include "hook/log_open.h"
#include "hook/ring.h"
#include "hook/standalone_resume.h"
#include "hook/standalone_segment.h"
#include "hook/standalone_settings.h"

#define LINE_BYTES	110u	/* of an event, about */
#define NAP_MS		20
#define EXIT_WAIT_NAPS	50	/* for another thread's flush, when the process ends */

/* The auxiliary vector follows the environment on the initial stack. */
static bool is_secure(char *const *envp)
{
	const ElfW(auxv_t) *a;

	while (*envp)
		envp++;
	for (a = (const void *)(envp + 1); a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_SECURE)
			return a->a_un.a_val != 0;
	}
	return false;
}

bool standalone_wanted(char **envp)
{
	return !standalone_variable(envp, CHANNEL_ENV_SOCKET) && !is_secure(envp);
}

/* A log named by the environment of the image before, unless this one was given its own. */
static bool open_log(char **envp, struct standalone_settings *s)
{
	struct log *log = &log_state;
	const char *resume = standalone_variable(envp, STANDALONE_ENV_RESUME);

	if (resume && !s->port && !s->output)
		return standalone_resume(resume, s);
	log->start = clock_nanoseconds();
	if (!log_open(&log->file, s->output, s->port))
		return false;
	log->own_file = s->output && !s->port && !log->file.socket;
	return true;
}

struct channel_header *standalone_open(char **envp)
{
	struct standalone_settings settings;
	struct channel_header *header;

	log_notice_init();
	standalone_settings_read(&settings, envp);
	if (!open_log(envp, &settings))
		return NULL;
	if (resolve_replaced("malloc"))
		log_notice("another malloc comes before this library's: only its brk and mmap are seen",
			   NULL, " (memtrack.so has to be first in LD_PRELOAD)");
	log_state.unit = settings.buffer_size;
	log_state.size = log_file_size(&log_state.file);
	header = standalone_segment(&settings);
	if (header)
		standalone_resume_prepare(&settings);
	else
		log_notice("no memory for the event buffers; nothing is recorded", NULL, "");
	return header;
}

bool standalone_begin(void)
{
	if (log_init())
		return true;
	log_notice("no memory for the log; nothing is recorded", NULL, "");
	return false;
}

const char *standalone_resume_entry(void)
{
	return standalone_resume_text();
}

void standalone_stack(struct channel_thread *t, uint32_t stack)
{
	log_frames_note(stack);
	log_state.threads[t - hook.threads].text += log_frames_bytes(stack);
}

/* How many events the ring got since the last call; of a new chunk, as many as it holds. */
static uint64_t new_events(uint64_t before, uint64_t now)
{
	uint32_t slot = CHANNEL_POS_SLOT(now) < CHANNEL_CHUNK_SLOTS ? CHANNEL_POS_SLOT(now) :
								  CHANNEL_CHUNK_SLOTS;

	return CHANNEL_POS_CHUNK(before) == CHANNEL_POS_CHUNK(now) && slot >= CHANNEL_POS_SLOT(before) ?
	       slot - CHANNEL_POS_SLOT(before) : slot;
}

void standalone_call_end(struct channel_thread *t)
{
	struct log_thread *l = &log_state.threads[t - hook.threads];
	uint64_t pos = t->pos, bytes = t->bytes, events = new_events(l->pos, pos);

	if (hook.min_size && events && bytes != l->bytes) {
		ring_push(t, t->last_stamp, LOG_TOTAL_MARK, bytes, STACK_NONE, OP_VOID);
		pos = t->pos;
	}
	if (events)
		l->bytes = bytes;
	l->pos = pos;
	l->text += events * LINE_BYTES;
	t->guard = 0;
	atomic_store_explicit(&t->busy, 0, memory_order_release);
	if (!events || (l->text < log_state.unit && !log_state.through))
		return;
	l->text = 0;
	log_flush(LOG_SAFE);
}

void standalone_thread_end(void)
{
	log_flush(LOG_SAFE);
}

/* Who holds the word may be this very thread, below a signal handler: then the ring is the slack. */
bool standalone_make_room(bool *beyond)
{
	struct channel_region *r = hook.region;
	uint32_t seq = r->drain_seq;

	*beyond = false;
	if (!core_recording())
		return false;
	if (log_flush(LOG_ALL))
		return true;
	if (log_flushing_here()) {
		*beyond = (uint32_t)r->chunk_free || r->chunk_fresh < hook.chunks_max;
		return *beyond;
	}
	atomic_fetch_add(&r->waiters, 1);
	ring_sleep(&r->drain_seq, seq, NAP_MS);
	atomic_fetch_sub(&r->waiters, 1);
	return true;
}

void standalone_child(void)
{
	if (log_file_same(&log_state.file))
		raw_call(RAW_NR_close, log_state.file.fd, 0, 0, 0, 0);
	log_state.file.fd = -1;
}

void standalone_sandbox(void)
{
	log_state.sandboxed = true;
}

bool standalone_may_ask(void)
{
	return !log_state.sandboxed;
}

void standalone_exec(void)
{
	log_flush(LOG_ALL);
	standalone_resume_keep(true);
}

void standalone_exec_failed(void)
{
	standalone_resume_keep(false);
}

/* Another thread's flush gets a moment to come to its end. */
static void flush_last(void)
{
	_Atomic uint32_t nobody = 0;

	for (int i = 0; i < EXIT_WAIT_NAPS && !log_flush(LOG_LAST); i++)
		ring_sleep(&nobody, 0, NAP_MS);
}

void standalone_ending(void)
{
	if (!hook.standalone || !core_recording() ||
	    (!log_state.sandboxed && (uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0) != hook.pid))
		return;
	flush_last();
	log_state.through = true;
	log_flush(LOG_ALL);
	if (log_state.file.socket && core_recording())
		log_end(0);
}
