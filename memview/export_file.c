/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The export of W: a head, then rows in pieces between which keys are served. */
#include "memview/export_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/units.h"
#include "memview/now.h"
#include "memview/view.h"
#include "model/export.h"

#define PIECE_ROWS 500
#define PIECE_MS 10

/* "~/x" as a shell would read it; the caller frees. */
static char *expand_home(const char *path)
{
	const char *home = getenv("HOME");

	if (path[0] == '~' && path[1] == '/' && home)
		return xasprintf("%s%s", home, path + 1);
	return xstrdup(path);
}

bool export_file_is_open(const struct export_file *file)
{
	return file->open;
}

void export_file_close(struct export_file *file)
{
	if (!file->open)
		return;
	close(file->fd);
	free(file->path);
	file->open = false;
}

static size_t rows_of(const struct view *view, const struct view_kind *kind)
{
	return kind->export_count ? kind->export_count(view) : kind->count(view);
}

static void finish(struct view *view, int err)
{
	struct export_file *file = &view->export;
	char rows[UNITS_TEXT_MAX];
	bool one = file->count == 1;

	if (err)
		view_say(view, true, "cannot write %s: %s", file->path, strerror(-err));
	else
		view_say(view, false, "%s %s written to %s",
			 format_count(rows, sizeof(rows), file->count),
			 file->kind->export_rows ? file->kind->rows : file->kind->groups ? one ? "call site" : "call sites" :
			 one ? "record" : "records", file->path);
	export_file_close(file);
}

int export_file_start(struct view *view, const char *path, bool overwrite)
{
	struct export_file *file = &view->export;
	struct buffer text = BUFFER_INIT;
	char *real = expand_home(path);
	int fd, err;

	export_file_close(file);
	fd = open(real, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (overwrite ? O_TRUNC : O_EXCL),
		  0666);
	if (fd < 0) {
		err = -errno;
		if (err != -EEXIST)
			view_say(view, true, "cannot write %s: %s", real, strerror(-err));
		free(real);
		return err == -EEXIST ? err : 0;
	}
	*file = (struct export_file){ .open = true, .fd = fd, .kind = view_kind(view), .number = view->kind,
				      .path = real };
	file->count = rows_of(view, file->kind);
	export_head(view->selection, file->kind->groups, &text);
	err = buffer_write(&text, fd);
	buffer_release(&text);
	if (err)
		finish(view, err);
	else
		export_file_step(view);
	return 0;
}

void export_file_step(struct view *view)
{
	struct export_file *file = &view->export;
	uint64_t until = now_ms() + PIECE_MS;
	char row[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX];
	struct buffer text = BUFFER_INIT;
	unsigned shown = view->kind;
	size_t now, left;
	int err = 0;

	view->slice_until = until;
	if (!heap_catch_up(view->heap))
		return;
	/* The user may have gone on to another view. */
	view->kind = file->number;
	now = rows_of(view, file->kind);

	/* A filter that changed meanwhile leaves fewer rows than there were. */
	if (file->count > now)
		file->count = now;
	while (file->row < file->count && !err && now_ms() < until) {
		left = file->count - file->row;
		left = left < PIECE_ROWS ? left : PIECE_ROWS;
		if (file->kind->export_rows)
			file->kind->export_rows(view, file->row, left, &text);
		else
			file->kind->export(view->selection, file->row, left, true, &text);
		file->row += left;
		err = buffer_write(&text, file->fd);
		buffer_clear(&text);
	}
	view->kind = shown;
	buffer_release(&text);
	if (err || file->row >= file->count)
		finish(view, err);
	else
		view_say(view, false, "writing %s: %s of %s", file->path, format_count(row, sizeof(row), file->row),
			 format_count(count, sizeof(count), file->count));
}
