/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variable of STANDALONE_ENV_RESUME: numbers, separated by dots. */
#include "hook/standalone_resume.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/log.h"
#include "hook/memory.h"
#include "hook/raw.h"
#include "hook/standalone.h"
#include "hook/standalone_settings.h"
#include "trace/text_write.h"

enum field { PID, FD, DEV, INO, START, OWN, MIN_SIZE, DEPTH, BUFFER, FIELDS };

static char entry[sizeof STANDALONE_ENV_RESUME + 1 + FIELDS * 21];

static uint64_t own_pid(void)
{
	return (uint64_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0);
}

void standalone_resume_prepare(const struct standalone_settings *s)
{
	const struct log *log = &log_state;
	const uint64_t values[FIELDS] = {
		[PID] = own_pid(), [FD] = (uint64_t)log->file.fd, [DEV] = log->file.dev,
		[INO] = log->file.ino, [START] = log->start, [OWN] = log->own_file,
		[MIN_SIZE] = s->min_size, [DEPTH] = s->stack_depth, [BUFFER] = s->buffer_size,
	};
	size_t at = sizeof STANDALONE_ENV_RESUME;

	hook_copy_string(entry, STANDALONE_ENV_RESUME "=", sizeof entry);
	for (int i = 0; i < FIELDS; i++) {
		at += text_decimal(entry + at, values[i], 0);
		entry[at++] = '.';
	}
	entry[at - 1] = 0;
}

const char *standalone_resume_text(void)
{
	return entry;
}

void standalone_resume_keep(bool keep)
{
	if (log_file_same(&log_state.file))
		raw_call(RAW_NR_fcntl, log_state.file.fd, F_SETFD, keep ? 0 : FD_CLOEXEC, 0, 0);
}

static bool parse(const char *text, uint64_t values[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		if (*text < '0' || *text > '9')
			return false;
		for (values[i] = 0; *text >= '0' && *text <= '9'; text++)
			values[i] = values[i] * 10 + (uint64_t)(*text - '0');
		if (*text++ != (i + 1 < FIELDS ? '.' : 0))
			return false;
	}
	return true;
}

bool standalone_resume(const char *value, struct standalone_settings *s)
{
	struct log *log = &log_state;
	uint64_t v[FIELDS];

	if (!parse(value, v) || v[PID] != own_pid() || !log_file_know(&log->file, (long)v[FD]))
		return false;
	if (log->file.dev != v[DEV] || log->file.ino != v[INO]) {
		log->file.fd = -1;
		return false;
	}
	standalone_resume_keep(false);
	log->start = v[START];
	log->own_file = v[OWN];
	s->min_size = v[MIN_SIZE];
	s->stack_depth = v[DEPTH] < 256 ? v[DEPTH] : 256;
	s->buffer_size = v[BUFFER];
	return true;
}
