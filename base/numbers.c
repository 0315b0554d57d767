/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading folders of /proc. */
#include "base/numbers.h"

#include <stdio.h>
#include <stdlib.h>

DIR *numbers_threads(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

pid_t numbers_next(DIR *folder)
{
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);

		if (number > 0)
			return number;
	}
	return 0;
}
