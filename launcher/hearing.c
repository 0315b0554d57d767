/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From bytes of viewers to orders for the main thread. */
#include "launcher/hearing.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define ORDERS_MAX	64u
#define BLOCK		1024	/* bytes of a viewer at a time: that is how many orders may be too many */

int hearing_init(struct hearing *h)
{
	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->lock, NULL);
	h->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return h->bell < 0 ? -errno : 0;
}

void hearing_release(struct hearing *h)
{
	vector_release(&h->orders);
	pthread_mutex_destroy(&h->lock);
	if (h->bell >= 0)
		close(h->bell);
}

void hearing_admit(struct hearing_viewer *v, int fd)
{
	memset(v, 0, sizeof(*v));
	v->fd = wire_command_peer_is_near(fd) ? fd : -1;
}

static void push(struct hearing *h, const struct wire_command *command)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&h->lock);
	vector_push(&h->orders, *command);
	pthread_mutex_unlock(&h->lock);
	if (write(h->bell, &one, sizeof(one)) < 0) {
		/* it rings already */
	}
}

void hearing_read(struct hearing *h, struct hearing_viewer *v)
{
	char block[BLOCK];
	const char *at = block;
	struct wire_command command;
	ssize_t n = recv(v->fd, block, sizeof(block), MSG_DONTWAIT);
	int rc = 1;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	while (n > 0 && rc == 1) {
		rc = wire_command_read(&v->reader, &at, block + n, &command);
		if (rc != 1)
			break;
		push(h, &command);
		v->pauses = command.kind == WIRE_PAUSE || (v->pauses && command.kind != WIRE_RESUME);
	}
	if (n > 0 && rc >= 0)
		return;
	v->fd = -1;
	if (v->pauses)
		push(h, &(struct wire_command){ .kind = WIRE_RESUME });
}

bool hearing_is_full(struct hearing *h)
{
	size_t count;

	pthread_mutex_lock(&h->lock);
	count = h->orders.count;
	pthread_mutex_unlock(&h->lock);
	return count >= ORDERS_MAX;
}

bool hearing_take(struct hearing *h, struct wire_command *command)
{
	uint64_t rings;
	bool any;

	if (read(h->bell, &rings, sizeof(rings)) < 0 && errno != EAGAIN)
		return false;
	pthread_mutex_lock(&h->lock);
	any = h->orders.count > 0;
	if (any) {
		*command = h->orders.items[0];
		memmove(h->orders.items, h->orders.items + 1, --h->orders.count * sizeof(*h->orders.items));
	}
	pthread_mutex_unlock(&h->lock);
	return any;
}
