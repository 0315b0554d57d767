/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memview without a screen: the report. */
#ifndef MEMVIEW_BATCH_H
#define MEMVIEW_BATCH_H

#include "memview/options.h"

/* Reads the whole trace, then writes the report to standard output.  Returns the exit status;
 * errors are one line on stderr. */
int batch_report(const struct viewer_options *options);

#endif
