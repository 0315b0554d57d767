/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatting and writing events. */
#include "hook/log_out.h"

#include <errno.h>

#include "hook/core.h"
#include "hook/log.h"
#include "hook/log_frames.h"
#include "hook/log_notice.h"
#include "hook/memory.h"

#define HEAD	"[memtrack] tid="
#define HEAD_LENGTH (sizeof HEAD - 1)

/* Where in the buffer the last whole event before `sent` ends. */
static size_t last_whole(const struct log *log)
{
	for (size_t at = log->sent; at > 0; at--) {
		if (log->out[at - 1] == '\n' &&
		    (at == log->length || (log->length - at >= HEAD_LENGTH &&
					   memcmp(log->out + at, HEAD, HEAD_LENGTH) == 0)))
			return at;
	}
	return 0;
}

/* A full disk cut an event in the middle: it is taken back.  Only in a file that is ours alone. */
static void cut_back(const struct log *log)
{
	size_t whole = last_whole(log);
	uint64_t size;

	if (!log->own_file || log->sandboxed || !log->file.regular || whole == log->sent || !log_file_same(&log->file))
		return;
	size = log_file_size(&log->file);
	if (size >= log->sent - whole)
		raw_call(RAW_NR_ftruncate, log->file.fd, size - (log->sent - whole), 0, 0, 0);
}

/* A vfork child that closed or moved descriptors is in our memory, but not in our table of files. */
static bool in_other_process(void)
{
	return !log_state.sandboxed && (uint32_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0) != hook.pid;
}

bool log_out_flush(void)
{
	struct log *log = &log_state;
	size_t written;
	long error;

	if (log->sent == log->length)
		return true;
	log->writing = true;
	error = log_file_write(&log->file, log->out + log->sent, log->length - log->sent, &written);
	log->sent += written;
	log->size += written;
	log->writing = false;
	if (error == -EBADF && in_other_process())
		return false;
	if (error) {
		cut_back(log);
		log_end(error);
		return false;
	}
	log->length = log->sent = log->whole = 0;
	return true;
}

void log_out_recover(void)
{
	struct log *log = &log_state;
	uint64_t size = log_file_same(&log->file) ? log_file_size(&log->file) : 0;

	log->writing = false;
	if (log->own_file && log->file.regular && size >= log->size &&
	    size - log->size <= log->length - log->sent) {
		log->sent += size - log->size;
		log->size = size;
	} else {
		log->sent = log->length;
	}
	if (log->whole >= log->sent)
		log->length = log->whole;
	if (log->sent == log->length)
		log->length = log->sent = log->whole = 0;
}

static bool room_for(size_t bytes)
{
	const struct log *log = &log_state;

	return log->length + bytes <= LOG_OUT_BYTES || log_out_flush();
}

static bool put_frames(uint32_t stack)
{
	struct log *log = &log_state;
	uint32_t nodes[LOG_DEPTH_MAX];
	unsigned n = log_frames_nodes(stack, nodes);

	for (unsigned i = 0; i < n; i++) {
		size_t length;
		const char *text = log_frames_text(nodes[i], &length);

		if (!room_for(TEXT_FRAME_HEAD_MAX + length))
			return false;
		log->length += text_frame_head(log->out + log->length, i);
		memcpy(log->out + log->length, text, length);
		log->length += length;
	}
	return true;
}

/* May hold more than one event only as long as all of it is within the buffer size. */
static bool is_full(const struct log *log, size_t more)
{
	uint64_t unit = log->through ? 0 : log->unit;

	return log->length && log->length + more > (unit < LOG_OUT_BYTES ? unit : LOG_OUT_BYTES);
}

static uint64_t microseconds(uint64_t stamp)
{
	return stamp > log_state.start ? (stamp - log_state.start) / 1000 : 0;
}

bool log_out_event(struct log_thread *l, const struct channel_event *e, uint64_t total)
{
	struct log *log = &log_state;
	uint64_t tag = e->tag;
	uint32_t stack = EVENT_TAG_STACK(tag);
	char line[TEXT_EVENT_MAX];
	size_t n = text_event(line, EVENT_TAG_OP(tag), e->ptr, e->size & EVENT_SIZE_MASK,
			      microseconds(e->stamp), total);
	size_t bytes = l->prefix_length + n + log_frames_bytes(stack);

	if (!n)
		return true;
	if (is_full(log, bytes) && !log_out_flush())
		return false;
	if (!room_for(l->prefix_length + n))
		return false;
	memcpy(log->out + log->length, l->prefix, l->prefix_length);
	memcpy(log->out + log->length + l->prefix_length, line, n);
	log->length += l->prefix_length + n;
	if (!put_frames(stack))
		return false;
	return !is_full(log, 0) || log_out_flush();
}
