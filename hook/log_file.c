/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing with care. */
#include "hook/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "hook/core.h"
#include "hook/log.h"
#include "hook/raw.h"
#include "hook/ring.h"

#define HIGH_FD		1000	/* out of the way of programs that count their descriptors up */
#define NAP_MS		5
#define PATIENCE_MS	10000	/* a non-blocking pipe that nobody reads */
#define SIGNAL_BIT(n)	(1ull << ((n) - 1))
#define OURS		(SIGNAL_BIT(SIGPIPE) | SIGNAL_BIT(SIGXFSZ))

/* As libc's fstat does it: a sandbox that lets the program do it lets the hook. */
static bool status_of(long fd, struct stat *st)
{
	return raw_call(RAW_NR_newfstatat, fd, "", st, AT_EMPTY_PATH, 0) == 0;
}

bool log_file_know(struct log_file *f, long fd)
{
	struct stat st;

	*f = (struct log_file){ .fd = -1 };
	if (fd < 0 || !status_of(fd, &st))
		return false;
	f->fd = fd;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->socket = S_ISSOCK(st.st_mode);
	f->regular = S_ISREG(st.st_mode);
	return true;
}

bool log_file_same(const struct log_file *f)
{
	struct stat st;

	return f->fd >= 0 && status_of(f->fd, &st) && st.st_dev == f->dev &&
	       st.st_ino == f->ino;
}

uint64_t log_file_size(const struct log_file *f)
{
	struct stat st;

	return status_of(f->fd, &st) ? (uint64_t)st.st_size : 0;
}

void log_file_raise(struct log_file *f, bool move)
{
	struct rlimit limit = { 0, 0 };
	long low = 3, fd;

	raw_call(RAW_NR_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit, 0);
	if (limit.rlim_cur > HIGH_FD)
		low = HIGH_FD;
	else if (limit.rlim_cur > 16)
		low = (long)limit.rlim_cur - 8;
	fd = raw_call(RAW_NR_fcntl, f->fd, F_DUPFD_CLOEXEC, low, 0, 0);
	if (fd < 0)
		fd = raw_call(RAW_NR_fcntl, f->fd, F_DUPFD_CLOEXEC, 3, 0, 0);
	if (fd < 0)
		return;
	if (move)
		raw_call(RAW_NR_close, f->fd, 0, 0, 0, 0);
	f->fd = fd;
}

/* The mask while writing. A signal that the program itself holds back and that is pending already
 * stays pending: only what this write raised is taken away again. */
struct quiet {
	uint64_t mask, pending;
	bool done;
};

static void quiet_begin(struct quiet *q, const struct log_file *f)
{
	static const uint64_t ours = OURS;

	*q = (struct quiet){ 0, 0, false };
	if (f->socket || log_state.sandboxed)		/* of a socket, MSG_NOSIGNAL is enough */
		return;
	q->done = raw_call(RAW_NR_rt_sigprocmask, SIG_BLOCK, &ours, &q->mask, sizeof ours, 0) == 0;
	if (q->done && (q->mask & OURS))
		raw_call(RAW_NR_rt_sigpending, &q->pending, sizeof q->pending, 0, 0, 0);
}

static void quiet_end(const struct quiet *q, long error)
{
	const uint64_t raised = OURS & ~q->pending;
	const struct timespec now = { 0, 0 };

	if (!q->done)
		return;
	if ((error == -EPIPE || error == -EFBIG) && raised)
		raw_call(RAW_NR_rt_sigtimedwait, &raised, NULL, &now, sizeof raised, 0);
	raw_call(RAW_NR_rt_sigprocmask, SIG_SETMASK, &q->mask, NULL, sizeof q->mask, 0);
}

static long write_once(const struct log_file *f, const char *data, size_t length)
{
	if (!log_file_same(f))
		return -EBADF;
	if (f == &log_state.file && !core_recording())	/* a child that a handler forked in the midst of a flush */
		return -EBADF;
	if (f->socket && !log_state.sandboxed)
		return raw_call6(RAW_NR_sendto, f->fd, (long)data, (long)length, MSG_NOSIGNAL, 0, 0);
	return raw_call(RAW_NR_write, f->fd, data, length, 0, 0);
}

/* The program, or who shares the pipe with it, made it non-blocking. */
static bool wait_for_room(unsigned *waited)
{
	_Atomic uint32_t nobody = 0;

	if (*waited >= PATIENCE_MS)
		return false;
	ring_sleep(&nobody, 0, NAP_MS);
	*waited += NAP_MS;
	return true;
}

static long write_all(const struct log_file *f, const char *data, size_t length, size_t *written)
{
	unsigned waited = 0;

	while (*written < length) {
		long r = write_once(f, data + *written, length - *written);

		if (r > 0) {
			*written += (size_t)r;
			waited = 0;
		} else if (r == -EINTR || (r == -EAGAIN && wait_for_room(&waited))) {
			continue;
		} else {
			return r ? r : -ENOSPC;
		}
	}
	return 0;
}

long log_file_write(const struct log_file *f, const char *data, size_t length, size_t *written)
{
	struct quiet quiet;
	long r;

	*written = 0;
	quiet_begin(&quiet, f);
	r = write_all(f, data, length, written);
	quiet_end(&quiet, r);
	return r;
}
