/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The viewer's state without a terminal: keys that come before there is anything to see. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memview/keys.h"
#include "memview/loop.h"
#include "memview/view.h"
#include "tests/tap.h"

static char path[] = "/tmp/memview_view_test.XXXXXX";

/* A log of so many blocks, none of it read yet. */
static struct view *start(unsigned blocks)
{
	struct input_request request = { .where = path };
	FILE *log = fopen(path, "w");
	struct input *input;
	char error[256];

	for (unsigned i = 0; i < blocks; i++)
		fprintf(log, "[memtrack] tid=7      (main           ) malloc     ts=%-12u size=%-12u  total=%-12u  ptr=0x%x\n",
			1000 * (i + 1), 16 + i, 16 + i, 4096 * (i + 1));
	fprintf(log, "[memtrack] tid=7      (main           ) EXIT       ts=%-12u total=%-12u bytes allocated\n", 9999999u,
		1u);
	fclose(log);
	if (input_open(&input, &request, error, sizeof(error)) < 0) {
		printf("Bail out! %s\n", error);
		exit(1);
	}
	return view_new(input, path, false);
}

static void load(struct view *view)
{
	bool bad;

	while (loop_feed(view, 1000, &bad))
		;
	while (!view_step(view))
		;
	view_settle_cursors(view);
}

static void test_ahead(void)
{
	struct view *view = start(50);

	view_key(view, 'G');
	view_key(view, 'k');
	view_key(view, 'k');
	is_int(view->ahead.count, 3, "keys for rows wait while there are none");
	view_key(view, 'f');
	is_int(view->filter.state, SELECT_LEAKS, "others do not");
	view_key(view, 'f');
	view_key(view, 'f');
	view_key(view, 'f');
	load(view);
	is_int(view->ahead.count, 0, "when rows are there");
	is_int((long)view->list[0].row, 47, "they are done, in their order");
	view_key(view, 'j');
	is_int((long)view->list[0].row, 48, "as keys are from then on");
	view_set_kind(view, VIEW_TREE);
	view_key(view, 'j');
	is_int(view->ahead.count, 1, "the tree is not there yet");
	view_set_kind(view, VIEW_RECORDS);
	is_int(view->ahead.count, 0, "a key of one view is none of another");
	view_free(view);
}

static void test_never(void)
{
	struct view *view = start(0);

	for (unsigned i = 0; i < 2 * AHEAD_MAX; i++)
		view_key(view, 'j');
	is_int(view->ahead.count, AHEAD_MAX, "so many are kept");
	load(view);
	is_int(view->ahead.count, 0, "and forgotten when nothing came");
	view_key(view, 'j');
	is_int(view->ahead.count, 0, "then none is");
	view_free(view);
}

int main(void)
{
	int fd = mkstemp(path);

	test_ahead();
	test_never();
	close(fd);
	unlink(path);
	return done_testing();
}
