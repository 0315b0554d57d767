/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copying a growing file to a descriptor that may be slow, stuck or gone. */
#include "launcher/pump.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define BLOCK		(64 * 1024)
#define IDLE_MS		50	/* how long new bytes may lie before they are noticed */
#define STACK_BYTES	(64 * 1024)
#define UNREAD_BLOCKS	256

struct pump {
	pthread_t thread;
	int file, sink;
	bool is_socket;
	_Atomic bool end, abandon, done;
	_Atomic int error;
	_Atomic unsigned long moved;	/* bytes sent */
	char block[BLOCK];
};

/* Never sleeps inside a write: pipes promise room for PIPE_BUF when poll says so. */
static ssize_t put_some(struct pump *p, const char *data, size_t length)
{
	struct pollfd ready = { .fd = p->sink, .events = POLLOUT };
	ssize_t n;

	if (poll(&ready, 1, 100) <= 0)
		return 0;
	if (p->is_socket)
		n = send(p->sink, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	else
		n = write(p->sink, data, length < PIPE_BUF ? length : PIPE_BUF);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	return n;
}

static int put_all(struct pump *p, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t n = put_some(p, data, length);

		if (n < 0)
			return (int)n;
		if (p->abandon)
			return -ETIMEDOUT;
		data += n;
		length -= (size_t)n;
		p->moved += (unsigned long)n;
	}
	return 0;
}

static void *pump_main(void *arg)
{
	struct pump *p = arg;
	off_t at = 0;
	int rc = 0;

	while (!rc && !p->abandon) {
		bool last = p->end;	/* asked before the read: nothing can come behind it */
		ssize_t n = pread(p->file, p->block, BLOCK, at);

		if (n > 0) {
			rc = put_all(p, p->block, (size_t)n);
			at += n;
		} else if (n < 0) {
			rc = -errno;
		} else if (last) {
			break;
		} else {
			struct timespec pause = { .tv_nsec = IDLE_MS * 1000000L };

			nanosleep(&pause, NULL);
		}
	}
	p->error = rc;
	p->done = true;
	return NULL;
}

struct pump *pump_new(int file, int sink)
{
	struct pump *p = xcalloc(1, sizeof(*p));
	pthread_attr_t attr;
	struct stat st;
	int rc;

	p->file = file;
	p->sink = sink;
	p->is_socket = fstat(sink, &st) == 0 && S_ISSOCK(st.st_mode);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&p->thread, &attr, pump_main, p);
	pthread_attr_destroy(&attr);
	if (rc) {
		close(sink);
		free(p);
		errno = rc;
		return NULL;
	}
	return p;
}

bool pump_is_dead(const struct pump *p)
{
	return p->done && p->error;
}

void pump_end(struct pump *p)
{
	p->end = true;
}

static void wait_done(struct pump *p, unsigned patience_ms)
{
	const struct timespec tick = { .tv_nsec = 5000000 };
	unsigned long seen = p->moved;
	unsigned still = 0;

	while (!p->done) {
		nanosleep(&tick, NULL);
		still = p->moved == seen ? still + 5 : 0;
		seen = p->moved;
		if (patience_ms && still >= patience_ms)
			p->abandon = true;
	}
}

/* Closing a socket with unread input would reset it, and what is still on its way be lost. */
static void close_sink(struct pump *p)
{
	if (p->is_socket) {
		shutdown(p->sink, SHUT_WR);
		for (int i = 0; i < UNREAD_BLOCKS && recv(p->sink, p->block, BLOCK, MSG_DONTWAIT) > 0; i++)
			;	/* who goes on sending shall not hold us */
	}
	close(p->sink);
}

int pump_finish(struct pump *p, unsigned patience_ms)
{
	int rc;

	pump_end(p);
	wait_done(p, patience_ms);
	pthread_join(p->thread, NULL);
	rc = p->error;
	close_sink(p);
	free(p);
	return rc;
}
