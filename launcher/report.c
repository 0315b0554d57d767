/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace through the model, without records, so that memory follows what was live. */
#include "launcher/report.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "model/heap.h"
#include "model/report.h"

#define BLOCK	(256 * 1024)

static int feed_all(struct heap *heap, int trace)
{
	char *block = xmalloc(BLOCK);
	off_t at = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = pread(trace, block, BLOCK, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		rc = n < 0 ? -errno : heap_feed(heap, block, (size_t)n);
		at += n;
	}
	free(block);
	heap_end(heap);
	return rc;
}

static unsigned columns(int out)
{
	struct winsize size;

	if (ioctl(out, TIOCGWINSZ, &size) < 0 || size.ws_col < 60)
		return 0;
	return size.ws_col;
}

int report_print(int trace, int out)
{
	struct heap *heap = heap_new(NULL);
	struct report_options options = { .width = columns(out), .session = SIZE_MAX };
	struct buffer text = BUFFER_INIT;
	int rc = feed_all(heap, trace);

	report_text(heap, &options, &text);
	if (!rc)
		rc = buffer_write(&text, out);
	buffer_release(&text);
	heap_free(heap);
	return rc;
}
