/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TCP server of --port: every viewer gets the trace's bytes from the start, and then as the
 * file grows.  Those on this machine may send commands (wire/command.h). */
#ifndef LAUNCHER_SERVE_H
#define LAUNCHER_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/command.h"

struct server;

/* "[ADDR:]PORT", ADDR a name, an IPv4 or a bracketed IPv6 address; loopback without it.
 * Port 0 takes a free one.  Listens; no one is served before server_start.
 * 0, -EINVAL (spec), -EADDRNOTAVAIL (no such address), -errno. */
int server_new(struct server **server, const char *spec);

/* Where it listens, as memview is to be told: "127.0.0.1:4000".  Lives as long as the server. */
const char *server_address(const struct server *server);

/* Readable once the first viewer is connected. */
int server_first_viewer_fd(const struct server *server);

/* Accepts viewers and sends them `file` (pread from the start); it stays the caller's and open
 * until server_finish.  0 or -errno. */
int server_start(struct server *server, int file);

/* Readable when viewers have asked for something; the next of it, false: there is none. */
int server_orders_fd(const struct server *server);
bool server_take_order(struct server *server, struct wire_command *command);

/* How many viewers were ever there. */
unsigned server_viewers(const struct server *server);

/* The file is complete: sends every viewer the rest, as long as it goes on reading, closes and
 * frees.  A server that was never started is only freed. */
void server_finish(struct server *server);

#endif
