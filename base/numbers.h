/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbered entries of folders in /proc: processes and threads. */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <dirent.h>
#include <sys/types.h>

/* /proc/PID/task, for closedir(); NULL and errno if it cannot be opened. */
DIR *numbers_threads(pid_t pid);

/* The next entry that is a number above 0; 0 when there is none left, or folder is NULL. */
pid_t numbers_next(DIR *folder);

#endif
