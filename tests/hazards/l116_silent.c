/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L116: a server that says its port, takes every connection, says so, and never answers. */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t length = sizeof(at);

	if (bind(listener, (struct sockaddr *)&at, length) || listen(listener, 9) ||
	    getsockname(listener, (struct sockaddr *)&at, &length))
		return 1;
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	while (accept(listener, NULL, NULL) >= 0) {
		printf("connected\n");
		fflush(stdout);
	}
	return 0;
}
