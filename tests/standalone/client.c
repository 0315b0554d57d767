/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A viewer's end of the socket: client PORT [BYTES].  Tries until somebody listens, copies what comes
 * to stdout, and hangs up after so many bytes, if given. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRIES 600	/* half a minute */

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	long most = argc > 2 ? atol(argv[2]) : -1;
	char data[4096];
	int fd = -1;
	ssize_t n;

	to.sin_port = htons((unsigned short)atoi(argc > 1 ? argv[1] : "0"));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < TRIES; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(fd, (struct sockaddr *)&to, sizeof to))
			break;
		close(fd);
		fd = -1;
		usleep(50000);
	}
	if (fd < 0)
		return 1;
	while (most != 0 && (n = read(fd, data, most > 0 && most < (long)sizeof data ? (size_t)most : sizeof data)) > 0) {
		fwrite(data, 1, (size_t)n, stdout);
		if (most > 0)
			most -= n;
	}
	return 0;
}
