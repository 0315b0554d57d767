/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A reader of the trace that stops at its marker. */
#include "launcher/snapshot_child.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/process.h"
#include "model/marks.h"

#define BLOCK		(256 * 1024)
#define NAP_NS		5000000L
#define NAMES_NS	20000000000ull	/* for functions to be named */
#define PATIENCE_NS	30000000000ull	/* without a new byte of the trace */

/* A text log has its names with its stacks. */
static bool is_named(const struct heap *heap, unsigned number)
{
	const char *named = heap_fact(heap, "named");
	struct heap_status status;

	heap_status(heap, &status);
	return status.format == HEAP_FORMAT_TEXT || status.end != HEAP_RUNNING ||
		(named && strtoul(named, NULL, 10) >= number);
}

static bool is_there(struct heap *heap, const struct snapshot_job *job, bool names)
{
	size_t count = heap_session_count(heap), there = 0;

	for (size_t i = 0; i < count; i++) {
		struct heap *one = heap_session_at(heap, i);

		there += heap_reached(one) && (!names || is_named(one, job->number));
	}
	return there >= job->sessions;
}

static int feed(struct heap *heap, const struct snapshot_job *job)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t began = process_now(), since = began;
	char *block = xmalloc(BLOCK);
	off_t at = 0;
	int rc = 0;

	while (!rc && !is_there(heap, job, process_now() - began < NAMES_NS)) {
		ssize_t n = pread(job->trace, block, BLOCK, at);

		if (n > 0) {
			rc = heap_feed(heap, block, (size_t)n);
			at += n;
			since = process_now();
		} else if (n < 0 && errno != EINTR) {
			rc = -errno;
		} else if (process_now() - since > PATIENCE_NS) {
			rc = -ETIME;
		} else {
			nanosleep(&nap, NULL);
		}
	}
	free(block);
	return rc;
}

/* Of the processes of a stream, those that have ended by then are left out; one is written in any case. */
static void put_all(struct heap *heap, struct snapshot_sums *sums, struct buffer *out)
{
	size_t count = heap_session_count(heap), written = 0;

	for (size_t i = 0; i < count; i++) {
		struct heap *one = heap_session_at(heap, i);
		struct heap_status status;

		heap_status(one, &status);
		if (status.end != HEAP_RUNNING && count > 1)
			continue;
		buffer_append_string(out, written++ ? "\n\n" : "");
		snapshot_text(one, heap_until_ns(one), sums, out);
	}
}

int snapshot_write(const struct snapshot_job *job, struct snapshot_sums *sums)
{
	const struct heap_options options = { .until = job->stamp, .follow = true };
	struct heap *heap = heap_new(&options);
	struct buffer out = BUFFER_INIT;
	int rc = feed(heap, job);

	if (!rc) {
		heap_settle(heap);
		put_all(heap, sums, &out);
		rc = buffer_write(&out, job->out);
	}
	buffer_release(&out);
	heap_free(heap);
	return rc;
}
