/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answering clients. */
#include "launcher/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/orders.h"
#include "launcher/tracer.h"

#define TALKING_MAX	16u	/* more, and the one that has said nothing for longest goes */
#define EVENTS		8

struct control_client {
	int fd;
	struct wire_control_word word;
};

/* who: NULL for the listener. */
static int watch(struct control *c, int fd, struct control_client *who)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = who };

	return epoll_ctl(c->poller, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int control_open(struct control *c, pid_t target)
{
	int rc;

	memset(c, 0, sizeof(*c));
	c->poller = -1;
	c->listener = wire_control_listen(target, getenv("XDG_RUNTIME_DIR"), c->path);
	if (c->listener < 0)
		return c->listener;
	c->poller = epoll_create1(EPOLL_CLOEXEC);
	rc = c->poller < 0 ? -errno : watch(c, c->listener, NULL);
	if (rc)
		control_close(c);
	return rc;
}

static void answer(int fd, bool good, const char *text)
{
	struct buffer b = BUFFER_INIT;

	buffer_append_string(&b, good ? "ok\n" : "no\n");
	buffer_append_string(&b, text);
	buffer_append_char(&b, '\n');
	wire_control_write(fd, buffer_text(&b), b.length);	/* a few lines: there is room for them */
	buffer_release(&b);
	close(fd);
}

/* No longer watched; its descriptor stays open. */
static int take_out(struct control *c, size_t index)
{
	struct control_client *client = c->talking.items[index];
	int fd = client->fd;

	epoll_ctl(c->poller, EPOLL_CTL_DEL, fd, NULL);
	memmove(&c->talking.items[index], &c->talking.items[index + 1],
		(c->talking.count - index - 1) * sizeof(*c->talking.items));
	c->talking.count--;
	free(client);
	return fd;
}

static void take_in(struct control *c)
{
	struct control_client *client;
	struct wire_peer peer;
	int fd = wire_control_accept(c->listener, &peer);

	if (fd < 0)
		return;
	if (peer.uid != 0 && peer.uid != geteuid()) {
		answer(fd, false, "another user's memtrack");
		return;
	}
	if (c->talking.count == TALKING_MAX)
		close(take_out(c, 0));
	client = xcalloc(1, sizeof(*client));
	client->fd = fd;
	vector_push(&c->talking, client);
	if (watch(c, fd, client))
		close(take_out(c, c->talking.count - 1));
}

static void obey_order(struct control *c, int fd, const char *line, struct tracer *tracer)
{
	struct buffer text = BUFFER_INIT;
	struct wire_command command;
	enum order_result result = ORDER_REFUSED;

	if (wire_command_parse(line, strlen(line), &command))
		buffer_append_string(&text, "this memtrack does not know that command");
	else
		result = orders_obey(tracer, &command, &text);
	if (result == ORDER_LATER)
		vector_push(&c->later, fd);
	else
		answer(fd, result == ORDER_DONE, buffer_text(&text));
	buffer_release(&text);
}

static void answer_status(int fd, const struct control_owner *owner)
{
	struct buffer text = BUFFER_INIT;

	owner->status(owner->owner, &text);
	if (owner->tracer->paused)
		buffer_append_string(&text, "\nrecording is paused");
	answer(fd, true, buffer_text(&text));
	buffer_release(&text);
}

/* True: somebody wants the end. */
static bool obey(struct control *c, int fd, const char *line, const struct control_owner *owner)
{
	bool detach = strcmp(line, "detach") == 0;

	if (detach && owner->stays)
		answer(fd, false, owner->stays);
	else if (detach)
		vector_push(&c->waiting, fd);
	else if (strcmp(line, "status") == 0)
		answer_status(fd, owner);
	else
		obey_order(c, fd, line, owner->tracer);
	return detach && !owner->stays;
}

static bool hear(struct control *c, struct control_client *client, const struct control_owner *owner)
{
	int rc = wire_control_read(client->fd, &client->word), fd;
	struct wire_control_word word = client->word;
	size_t index = 0;

	if (rc == -EAGAIN)
		return false;
	while (c->talking.items[index] != client)
		index++;
	fd = take_out(c, index);
	if (rc == 0)
		return obey(c, fd, word.text, owner);
	close(fd);
	return false;
}

static bool is_talking(const struct control *c, const struct control_client *client)
{
	for (size_t i = 0; i < c->talking.count; i++)
		if (c->talking.items[i] == client)
			return true;
	return false;
}

bool control_answer(struct control *c, const struct control_owner *owner)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(c->poller, events, EVENTS, 0);
	bool end = false;

	for (int i = 0; i < count; i++) {
		struct control_client *client = events[i].data.ptr;

		if (!client)
			take_in(c);
		else if (is_talking(c, client))	/* it may have had to go a moment ago */
			end |= hear(c, client, owner);
	}
	return end;
}

static void tell(struct control_fds *fds, bool good, const char *text)
{
	for (size_t i = 0; i < fds->count; i++)
		answer(fds->items[i], good, text);
	vector_clear(fds);
}

void control_tell(struct control *c, bool good, const char *text)
{
	tell(&c->waiting, good, text);
}

void control_tell_later(struct control *c, bool good, const char *text)
{
	tell(&c->later, good, text);
}

void control_close(struct control *c)
{
	while (c->talking.count)
		close(take_out(c, 0));
	vector_release(&c->talking);
	for (size_t i = 0; i < c->waiting.count; i++)
		close(c->waiting.items[i]);
	vector_release(&c->waiting);
	control_tell_later(c, false, "the tracing has ended");
	vector_release(&c->later);
	if (c->listener >= 0) {
		unlink(c->path);
		close(c->listener);
	}
	if (c->poller >= 0)
		close(c->poller);
	c->listener = c->poller = -1;
}
