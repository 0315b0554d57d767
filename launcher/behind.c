/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orders from the front, and keeping quiet until the terminal is free. */
#include "launcher/behind.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"

void behind_enter(struct behind *b)
{
	setsid();
	dup2(b->words, STDERR_FILENO);
}

static void send_news(struct behind *b, const void *data, size_t length)
{
	if (b->wire >= 0 && send(b->wire, data, length, MSG_NOSIGNAL) < 0) {
		/* it is gone: the next receive tells */
	}
}

void behind_tell(struct behind *b, enum behind_news news)
{
	const char byte = (char)news;

	b->started |= news == BEHIND_STARTED;
	send_news(b, &byte, 1);
}

static void speak(struct behind *b)
{
	if (!b->speaks)
		dup2(b->voice, STDERR_FILENO);
	b->speaks = true;
}

int behind_order(struct behind *b)
{
	char order;
	ssize_t n = b->wire < 0 ? 0 : recv(b->wire, &order, 1, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		/* Whoever held the terminal was killed: its stderr may be anything by now. */
		if (b->wire >= 0)
			close(b->wire);
		b->wire = -1;
		return 0;
	}
	if (order == BEHIND_SPEAK)
		speak(b);
	return order;
}

int behind_signal(int order)
{
	switch (order) {
	case BEHIND_HANGUP: return SIGHUP;
	case BEHIND_INTERRUPT: return SIGINT;
	case BEHIND_QUIT: return SIGQUIT;
	case BEHIND_TERMINATE: return SIGTERM;
	case BEHIND_KILL: return SIGKILL;
	default: return 0;
	}
}

static int await(struct behind *b)
{
	struct pollfd line = { .fd = b->wire, .events = POLLIN };

	while (poll(&line, 1, -1) < 0 && errno == EINTR)
		;
	return behind_order(b);
}

int behind_await_go(struct behind *b, const char *trace, bool fresh, char **path)
{
	struct buffer paths = BUFFER_INIT;
	int rc = capture_open(&b->capture, trace, fresh);

	*path = NULL;
	if (rc) {
		*path = xstrdup(b->capture.path);
		return rc;
	}
	buffer_append_char(&paths, BEHIND_READY);
	buffer_append(&paths, trace, strlen(trace) + 1);
	buffer_append_string(&paths, b->capture.path ? b->capture.path : "");
	buffer_append_char(&paths, '\0');
	send_news(b, paths.data, paths.length);
	buffer_release(&paths);
	while (b->wire >= 0)
		if (await(b) == BEHIND_GO)
			return 0;
	return -ECANCELED;
}

void behind_await_speech(struct behind *b)
{
	while (b->wire >= 0 && !b->speaks)
		await(b);
}

void behind_release(struct behind *b)
{
	capture_release(&b->capture);
	if (b->wire >= 0)
		close(b->wire);
	b->wire = -1;
}
