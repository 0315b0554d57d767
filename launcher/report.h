/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The summary that memtrack prints when the target has ended. */
#ifndef LAUNCHER_REPORT_H
#define LAUNCHER_REPORT_H

/* Reads the finished trace with pread and writes the report to fd out.  0 or -errno. */
int report_print(int trace, int out);

#endif
