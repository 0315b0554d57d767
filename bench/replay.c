/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Serves a recorded trace on a port as if its program ran now, at a pace of so many events a second.
 *
 *	bench/replay EVENTS_PER_SECOND TRACE [PORT]
 *
 * Prints the port, waits for a reader, sends the trace's chunks as the pace has them, and prints each
 * second, and at the end: seconds, events sent, bytes that the reader has not read, and by how many
 * milliseconds it is late. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "store/chunk.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int accept_one(unsigned port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	socklen_t length = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, got;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 1) < 0)
		return -1;
	getsockname(fd, (struct sockaddr *)&at, &length);
	printf("port\t%u\n", ntohs(at.sin_port));
	fflush(stdout);
	got = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	close(fd);
	return got;
}

static bool send_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

/* Late is what the reader keeps us waiting for. */
static void tell(const char *what, int fd, double from, uint64_t events, double late)
{
	int unread = 0;

	ioctl(fd, SIOCOUTQ, &unread);
	printf("%s\t%.1f\t%llu\t%d\t%.0f\n", what, now() - from, (unsigned long long)events, unread, late * 1e3);
	fflush(stdout);
}

static void wait_until(double when)
{
	double left = when - now();

	if (left > 0)
		nanosleep(&(struct timespec){ (time_t)left, (long)((left - (double)(time_t)left) * 1e9) }, NULL);
}

static int replay(FILE *in, int fd, double pace)
{
	static uint8_t bytes[STORE_CHUNK_BYTES + STORE_RAW_MAX];
	double from = now(), told = from, late = 0, most = 0;
	uint64_t events = 0;
	struct chunk_header h;

	if (fread(bytes, 1, STORE_HEAD_BYTES, in) != STORE_HEAD_BYTES || !send_all(fd, bytes, STORE_HEAD_BYTES))
		return 1;
	while (fread(bytes, 1, STORE_CHUNK_BYTES, in) == STORE_CHUNK_BYTES && chunk_header_read(bytes, &h) &&
	       fread(bytes + STORE_CHUNK_BYTES, 1, h.stored, in) == h.stored) {
		/* A chunk is there when its last event has happened. */
		if (h.kind == CHUNK_RECORDS)
			events += h.events;
		wait_until(from + (double)events / pace);
		if (!send_all(fd, bytes, STORE_CHUNK_BYTES + h.stored))
			return 1;
		late = now() - (from + (double)events / pace);
		most = late > most ? late : most;
		if (now() > told + 1) {
			tell("sent", fd, from, events, late);
			told = now();
		}
	}
	tell("all", fd, from, events, most);
	shutdown(fd, SHUT_WR);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	FILE *in;
	int fd, status;

	if (argc < 3)
		return 2;
	in = fopen(argv[2], "rb");
	if (!in || (fd = accept_one(argc > 3 ? (unsigned)atoi(argv[3]) : 0)) < 0) {
		perror("bench/replay");
		return 1;
	}
	status = replay(in, fd, atof(argv[1]));
	close(fd);
	fclose(in);
	return status;
}
