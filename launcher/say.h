/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What memtrack tells the user: one line on stderr, "memtrack: ...", in one write, so that it
 * never mixes with what the target writes to the same terminal. */
#ifndef LAUNCHER_SAY_H
#define LAUNCHER_SAY_H

#include <stdarg.h>

/* -1 with -q (errors only), 1 with -v. */
void say_set_level(int level);

/* Something went wrong; always said. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Something the user should know; not with -q. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Only with -v. */
void say_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
