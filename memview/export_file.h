/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing the visible rows to a text file, a piece at a time. */
#ifndef MEMVIEW_EXPORT_FILE_H
#define MEMVIEW_EXPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct view;
struct view_kind;

struct export_file {
	bool open;
	const struct view_kind *kind;	/* whose rows; its number */
	unsigned number;
	int fd;
	size_t row, count;
	char *path;
};

/* Starts to write all rows that are visible now.  -EEXIST when there is such a file and
 * overwrite was not said; else 0, with a message when it cannot be written. */
int export_file_start(struct view *view, const char *path, bool overwrite);

/* Writes some more; says so at the end. */
void export_file_step(struct view *view);

bool export_file_is_open(const struct export_file *file);

/* Ends one that is under way. */
void export_file_close(struct export_file *file);

#endif
