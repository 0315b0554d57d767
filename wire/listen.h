/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for viewers on a TCP port. */
#ifndef WIRE_LISTEN_H
#define WIRE_LISTEN_H

#include <stdint.h>

#include "wire/address.h"

/* A listening socket (non-blocking, close-on-exec), or -errno: -EADDRINUSE, -EACCES,
 * -EADDRNOTAVAIL when the host is not one of this machine, what wire_address_resolve says. */
int wire_listen(const struct wire_address *address);

/* The port it really listens on, or -errno. */
int wire_listen_port(int fd);

/* The next viewer's socket (non-blocking, close-on-exec), or -errno: -EAGAIN when none waits.
 * A viewer that is gone again already is skipped. */
int wire_accept(int fd);

#endif
