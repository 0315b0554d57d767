/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes over a connected socket, without SIGPIPE and without waiting. */
#ifndef WIRE_STREAM_H
#define WIRE_STREAM_H

#include <stddef.h>
#include <sys/types.h>

/* Sends what fits now: bytes sent (> 0), or -errno: -EAGAIN, -EPIPE or -ECONNRESET when the other
 * side is gone. */
ssize_t wire_send(int fd, const void *data, size_t length);

/* Receives what is there: bytes (> 0), 0 when the other side closed, or -errno, as -EAGAIN. */
ssize_t wire_receive(int fd, void *data, size_t length);

/* Says that nothing more will be sent; the other side reads to the end. */
void wire_finish(int fd);

/* Options of a fresh connection: small packets at once, a dead peer noticed. */
void wire_tune(int fd);

#endif
