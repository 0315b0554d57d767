/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wire/: addresses as people write them, and a conversation over the loopback. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "wire/address.h"
#include "wire/connect.h"
#include "wire/control.h"
#include "wire/listen.h"
#include "wire/stream.h"

static void test_parse(void)
{
	static const struct {
		const char *text, *host;
		int port;		/* -1: refused */
	} cases[] = {
		{ "8080", "", 8080 }, { ":8080", "", 8080 }, { "0", "", 0 },
		{ "localhost:1", "localhost", 1 }, { "127.0.0.1:65535", "127.0.0.1", 65535 },
		{ "[::1]:80", "::1", 80 }, { "[fe80::1%eth0]:80", "fe80::1%eth0", 80 },
		{ "*:7", "*", 7 }, { "0.0.0.0:7", "0.0.0.0", 7 },
		{ "", NULL, -1 }, { ":", NULL, -1 }, { "65536", NULL, -1 }, { "-1", NULL, -1 },
		{ "host", NULL, -1 }, { "host:", NULL, -1 }, { "host:80x", NULL, -1 },
		{ "::1:80", NULL, -1 }, { "[::1]80", NULL, -1 }, { "[::1]", NULL, -1 },
		{ "[]:80", NULL, -1 }, { "[::1:80", NULL, -1 }, { "a b:80", NULL, -1 },
		{ "./a:80", NULL, -1 }, { ":+80", NULL, -1 }, { ":0x10", NULL, -1 },
		{ "host:000080", NULL, -1 },
	};
	struct wire_address a;
	char text[400];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err = wire_address_parse(cases[i].text, &a);

		if (cases[i].port < 0)
			is_int(err, -EINVAL, "'%s' is refused", cases[i].text);
		else
			ok(!err && !strcmp(a.host, cases[i].host) && a.port == cases[i].port,
			   "'%s' is understood", cases[i].text);
	}
	memset(text, 'a', sizeof(text));
	strcpy(text + 300, ":80");
	is_int(wire_address_parse(text, &a), -EINVAL, "a host of 300 bytes is refused");
	ok(!wire_address_likely("8080") && wire_address_likely(":8080") &&
	   !wire_address_likely("a.mtk") && !wire_address_likely("dir/a:1"),
	   "files and addresses are told apart");
	wire_address_parse("[::1]:80", &a);
	is_string(wire_address_format(&a, text, sizeof(text)), "[::1]:80", "IPv6 is shown in brackets");
	wire_address_parse("80", &a);
	is_string(wire_address_format(&a, text, sizeof(text)), "127.0.0.1:80", "no host is the loopback");
}

/* The listening socket, and in *a where to reach it. */
static int listen_any(const char *text, struct wire_address *a)
{
	int fd;

	wire_address_parse(text, a);
	fd = wire_listen(a);
	if (fd >= 0)
		a->port = (uint16_t)wire_listen_port(fd);
	return fd;
}

static int accept_soon(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };

	poll(&p, 1, 2000);
	return wire_accept(fd);
}

static ssize_t receive_soon(int fd, char *data, size_t length)
{
	struct pollfd p = { fd, POLLIN, 0 };

	poll(&p, 1, 2000);
	return wire_receive(fd, data, length);
}

static void converse(const char *listen_text, const char *host)
{
	struct wire_address a;
	int server = listen_any(listen_text, &a), client, viewer;
	char data[100] = "";

	if (server < 0) {
		skip(8, "this machine cannot listen there");
		return;
	}
	snprintf(a.host, sizeof(a.host), "%s", host);
	is_int(wire_accept(server), -EAGAIN, "%s: nobody waits yet", listen_text);
	client = wire_connect(&a, 2000);
	ok(client >= 0, "connected to %s", host);
	viewer = accept_soon(server);
	ok(viewer >= 0, "and accepted");
	ok(fcntl(viewer, F_GETFL) & O_NONBLOCK && fcntl(client, F_GETFD) & FD_CLOEXEC &&
	   fcntl(viewer, F_GETFD) & FD_CLOEXEC, "neither blocks nor is inherited");
	is_int(wire_receive(client, data, sizeof(data)), -EAGAIN, "nothing is there yet");
	is_int(wire_send(viewer, "hello", 5), 5, "bytes go");
	ok(receive_soon(client, data, sizeof(data)) == 5 && !memcmp(data, "hello", 5), "and come");
	wire_finish(viewer);
	is_int(receive_soon(client, data, sizeof(data)), 0, "the end is seen");
	close(client);
	close(viewer);
	close(server);
}

static void test_errors(void)
{
	struct wire_address a, b;
	int server = listen_any("0", &a), viewer, client, err = 0;
	static char data[65536];

	is_int(wire_listen(&a), -EADDRINUSE, "a port that is taken");
	client = wire_connect(&a, 2000);
	viewer = accept_soon(server);
	close(client);
	for (int i = 0; i < 100 && err != -EPIPE && err != -ECONNRESET; i++) {
		ssize_t n = wire_send(viewer, data, sizeof(data));

		err = n < 0 ? (int)n : 0;
		usleep(1000);
	}
	ok(err == -EPIPE || err == -ECONNRESET, "a viewer that is gone is an error, not a signal");
	close(viewer);
	close(server);
	is_int(wire_connect(&a, 2000), -ECONNREFUSED, "nobody listens");
	wire_address_parse("203.0.113.1:9", &b);
	is_int(wire_listen(&b), -EADDRNOTAVAIL, "an address of another machine");
	wire_address_parse("nowhere.invalid:9", &b);
	err = wire_connect(&b, 2000);
	ok(err == -EDESTADDRREQ || err == -EAGAIN, "a host that does not exist");
	is_string(wire_strerror(-EDESTADDRREQ), "no such host", "has words of its own");
	wire_address_parse("0", &b);
	is_int(wire_connect(&b, 100), -EADDRNOTAVAIL, "port 0 is for listening");
}

static void test_slow(void)
{
	struct wire_address a;
	struct wire_connect c;
	int server = listen_any("0", &a), err = wire_connect_start(&c, &a);

	for (int i = 0; i < 100 && err == -EINPROGRESS; i++) {
		usleep(1000);
		err = wire_connect_poll(&c);
	}
	ok(err >= 0, "connecting step by step");
	close(err);
	/* No route answers here: whatever happens, it does not take long. */
	wire_address_parse("192.0.2.1:9", &a);
	err = wire_connect(&a, 200);
	ok(err < 0, "a machine that does not answer: %s", wire_strerror(err));
	close(server);
}

/* The folder of the session, and /tmp where there is none or its name leaves no room for a socket's. */
static void test_control_folder(void)
{
	static const char *const none[] = { NULL, "relative" };
	char path[WIRE_CONTROL_PATH], longer[200] = "/", start[40];
	int fd;

	memset(longer + 1, 'x', sizeof(longer) - 2);
	snprintf(start, sizeof(start), "/tmp/memtrack-%u/", (unsigned)geteuid());
	for (size_t i = 0; i < 3; i++) {
		fd = wire_control_listen(getpid(), i < 2 ? none[i] : longer, path);
		ok(fd >= 0 && strncmp(path, start, strlen(start)) == 0, "a control socket in %s", start);
		if (fd < 0)
			continue;
		close(fd);
		unlink(path);
	}
}

static void entry(char path[WIRE_CONTROL_PATH], const char *folder, const char *name)
{
	snprintf(path, WIRE_CONTROL_PATH, "%s/memtrack/%s", folder, name);
}

static bool is_there(const char *folder, const char *name)
{
	char path[WIRE_CONTROL_PATH];
	struct stat st;

	entry(path, folder, name);
	return lstat(path, &st) == 0;
}

/* As a memtrack that was killed leaves it. */
static void leave_dead(const char *folder, pid_t target)
{
	char path[WIRE_CONTROL_PATH];

	close(wire_control_listen(target, folder, path));
}

static void test_control_dead(void)
{
	static const char *const names[] = { "11", "12", "13", "14", "x", "21" };
	char folder[] = "/tmp/wire-test-XXXXXX", live[WIRE_CONTROL_PATH], path[WIRE_CONTROL_PATH], dead[WIRE_CONTROL_PATH];
	int fd, lock;

	if (!mkdtemp(folder))
		abort();
	fd = wire_control_listen(11, folder, live);
	leave_dead(folder, 14);
	entry(dead, folder, "14");
	entry(path, folder, "x");
	rename(dead, path);
	ok(symlink(path, dead) == 0, "a link to a dead socket");
	entry(path, folder, "13");
	close(open(path, O_WRONLY | O_CREAT, 0600));
	leave_dead(folder, 12);
	entry(path, folder, "");
	lock = open(path, O_RDONLY | O_DIRECTORY);
	flock(lock, LOCK_EX);
	wire_control_sweep(folder);
	ok(is_there(folder, "12"), "nothing is removed while somebody is about to listen");
	close(lock);
	wire_control_sweep(folder);
	ok(!is_there(folder, "12"), "a socket where nobody listens is removed");
	ok(is_there(folder, "11") && is_there(folder, "13") && is_there(folder, "14") && is_there(folder, "x"),
	   "one that is heard, a file, a link and what bears no number are not");
	leave_dead(folder, 12);
	close(wire_control_listen(21, folder, path));
	ok(!is_there(folder, "12") && is_there(folder, "11"), "so is it when another begins to listen");
	close(fd);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		entry(path, folder, names[i]);
		unlink(path);
	}
	entry(path, folder, "");
	rmdir(path);
	rmdir(folder);
}

int main(void)
{
	signal(SIGPIPE, SIG_DFL);
	test_parse();
	converse("0", "");
	converse("[::1]:0", "::1");
	converse("*:0", "127.0.0.1");
	test_errors();
	test_slow();
	test_control_folder();
	test_control_dead();
	return done_testing();
}
