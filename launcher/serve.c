/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Accepting viewers; a pump sends each of them the file. */
#include "launcher/serve.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/units.h"
#include "launcher/hearing.h"
#include "launcher/pump.h"

#define VIEWERS_MAX	64
#define PATIENCE_MS	5000	/* how long a viewer that stopped reading delays our exit */
#define STACK_BYTES	(64 * 1024)
#define FULL_MS		20

struct server {
	int listener, stop, first;	/* first: eventfd, readable from the first viewer on */
	int file;
	bool started;
	pthread_t thread;
	char address[NI_MAXHOST + 16];
	_Atomic unsigned viewers;
	struct hearing hearing;
	/* Server thread's; after its end the caller's. */
	struct pump *pumps[VIEWERS_MAX];
	struct hearing_viewer heard[VIEWERS_MAX];
};

/* Splits "[ADDR:]PORT" in place; *host is NULL without ADDR. */
static int split_spec(char *spec, char **host, char **port)
{
	char *colon = strrchr(spec, ':'), *end;
	unsigned long number;

	*host = NULL;
	*port = spec;
	if (colon) {
		*colon = '\0';
		*port = colon + 1;
		*host = colon == spec ? NULL : spec;
		if (**port && spec[0] == '[' && colon[-1] == ']') {
			colon[-1] = '\0';
			*host = spec + 1;
		}
	}
	number = strtoul(*port, &end, 10);
	return **port >= '0' && **port <= '9' && !*end && number <= 65535 ? 0 : -EINVAL;
}

static int listen_at(const struct addrinfo *info)
{
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;
	int rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, 16) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static int listen_to(const char *host, const char *port)
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE,
	};
	struct addrinfo *list;
	int fd = -EADDRNOTAVAIL;

	if (host && strcmp(host, "*") == 0)
		host = NULL;		/* all addresses */
	else if (!host)
		host = "127.0.0.1";
	if (getaddrinfo(host, port, &hints, &list))
		return -EADDRNOTAVAIL;
	for (const struct addrinfo *i = list; i && fd < 0; i = i->ai_next)
		fd = listen_at(i);
	freeaddrinfo(list);
	return fd;
}

static void name_address(struct server *s)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	char host[NI_MAXHOST] = "", port[16] = "";

	if (getsockname(s->listener, (struct sockaddr *)&address, &length) == 0)
		getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port,
			    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(s->address, sizeof(s->address), strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

int server_new(struct server **result, const char *spec)
{
	char *copy = xstrdup(spec), *host, *port;
	struct server *s;
	int fd = split_spec(copy, &host, &port);

	if (fd == 0)
		fd = listen_to(host, port);
	free(copy);
	if (fd < 0)
		return fd;
	s = xcalloc(1, sizeof(*s));
	s->listener = fd;
	hearing_init(&s->hearing);
	s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->first = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	name_address(s);
	*result = s;
	return 0;
}

const char *server_address(const struct server *s)
{
	return s->address;
}

int server_first_viewer_fd(const struct server *s)
{
	return s->first;
}

int server_orders_fd(const struct server *s)
{
	return s->hearing.bell;
}

bool server_take_order(struct server *s, struct wire_command *command)
{
	return hearing_take(&s->hearing, command);
}

unsigned server_viewers(const struct server *s)
{
	return s->viewers;
}

static struct pump **free_place(struct server *s)
{
	for (size_t i = 0; i < VIEWERS_MAX; i++) {
		if (s->pumps[i] && pump_is_dead(s->pumps[i])) {
			pump_finish(s->pumps[i], 1);
			s->pumps[i] = NULL;
		}
		if (!s->pumps[i])
			return &s->pumps[i];
	}
	return NULL;
}

static void admit_viewer(struct server *s, int fd)
{
	struct pump **place = free_place(s);
	const uint64_t one = 1;

	if (!place) {
		close(fd);
		return;
	}
	hearing_admit(&s->heard[place - s->pumps], fd);
	*place = pump_new(s->file, fd);
	if (*place && s->viewers++ == 0 && write(s->first, &one, sizeof(one)) < 0) {
		/* an eventfd takes a 1 */
	}
}

/* While there are too many orders nobody is listened to. */
static int watch(struct server *s, struct pollfd *fds)
{
	bool full = hearing_is_full(&s->hearing);

	fds[0] = (struct pollfd){ .fd = s->stop, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = s->listener, .events = POLLIN };
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		fds[2 + i] = (struct pollfd){ .fd = s->pumps[i] && !full ? s->heard[i].fd : -1, .events = POLLIN };
	return full ? FULL_MS : -1;
}

static void *server_main(void *arg)
{
	struct server *s = arg;
	struct pollfd fds[2 + VIEWERS_MAX];
	int timeout = watch(s, fds);

	while (!(fds[0].revents & POLLIN)) {
		int n = poll(fds, 2 + VIEWERS_MAX, timeout);

		for (size_t i = 0; n > 0 && i < VIEWERS_MAX; i++)
			if (fds[2 + i].revents)
				hearing_read(&s->hearing, &s->heard[i]);
		if (n > 0 && fds[1].revents) {
			int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

			if (fd >= 0)
				admit_viewer(s, fd);
		}
		if (n <= 0 || !(fds[0].revents & POLLIN))
			timeout = watch(s, fds);
	}
	return NULL;
}

int server_start(struct server *s, int file)
{
	pthread_attr_t attr;
	int rc;

	s->file = file;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&s->thread, &attr, server_main, s);
	pthread_attr_destroy(&attr);
	s->started = rc == 0;
	return -rc;
}

static void stop_thread(struct server *s)
{
	const uint64_t one = 1;

	if (write(s->stop, &one, sizeof(one)) < 0) {
		/* an eventfd takes a 1 */
	}
	pthread_join(s->thread, NULL);
}

void server_finish(struct server *s)
{
	if (s->started)
		stop_thread(s);
	close(s->listener);
	for (size_t i = 0; i < VIEWERS_MAX; i++)	/* all at once, then wait for each */
		if (s->pumps[i])
			pump_end(s->pumps[i]);
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		if (s->pumps[i])
			pump_finish(s->pumps[i], PATIENCE_MS);
	close(s->stop);
	close(s->first);
	hearing_release(&s->hearing);
	free(s);
}
