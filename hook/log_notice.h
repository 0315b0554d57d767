/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line on the program's stderr, when something is wrong; never a file that the program opened
 * in its place. */
#ifndef HOOK_LOG_NOTICE_H
#define HOOK_LOG_NOTICE_H

/* Remembers what stderr is. First of all. */
void log_notice_init(void);

/* "memtrack.so: BEFORE 'VALUE' AFTER"; a NULL value is left out with its quotes.  Texts are short;
 * the value may be anything. */
void log_notice(const char *before, const char *value, const char *after);

/* What -error means, for the few errors that writing and opening meet; "error N" for others. */
const char *log_error(long error);

#endif
