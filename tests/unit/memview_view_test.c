/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The viewer's state without a terminal: keys that come before there is anything to see, and Esc
 * while there is work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memview/cancel.h"
#include "memview/keys.h"
#include "memview/loop.h"
#include "memview/now.h"
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

static void type(struct view *view, const char *keys)
{
	while (*keys)
		view_key(view, (unsigned char)*keys++);
}

/* So much of it that it is not done, and for so long that it is told of. */
static void work_a_little(struct view *view)
{
	unsigned permille;

	for (int i = 0; i < 3; i++) {
		select_step(view->selection, 700);
		cancel_watch(view);
		if (select_work(view->selection, &permille) > SELECT_READS && view->work_since)
			view->work_since = now_ms() - 1000;
	}
}

static struct block_record row_record(struct view *view, size_t row)
{
	struct block_record r;

	block_get(view->heap, select_at(view->selection, row), &r);
	return r;
}

/* Keys that ask for work, and the word that tells of it. */
static const struct { const char *keys, *word; } works[] = {
	{ "2", "sorting" }, { "f", "filtering" }, { "/0x100\r", "searching" },
};

static void test_cancel(void)
{
	for (unsigned i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		struct view *view = start(20000);
		unsigned permille = 0;
		const char *what;
		size_t rows;

		load(view);
		type(view, "Gkkk");
		view_step(view);
		rows = select_count(view->selection);
		is_int((long)rows, 20000, "%s: all rows are there", works[i].word);
		type(view, works[i].keys);
		work_a_little(view);
		what = cancel_what(view, &permille);
		is_string(what ? what : "", works[i].word, "%s: is told of", works[i].word);
		ok(permille > 0 && permille < 1000, "%s: and how far it is (%u)", works[i].word, permille);
		view_key(view, KEYS_ESCAPE);
		ok(!view->quit && strstr(view->message, "cancelled"), "%s: Esc cancels it: %s", works[i].word,
		   view->message);
		ok(!cancel_what(view, &permille), "%s: nothing is told of any more", works[i].word);
		while (!view_step(view))
			;
		view_settle_cursors(view);
		is_int((long)select_count(view->selection), (long)rows, "%s: as many rows as before", works[i].word);
		is_int((long)view->list[0].row, 19996, "%s: the cursor is where it was", works[i].word);
		is_int((long)row_record(view, 19996).size, 16 + 19996, "%s: on the same row", works[i].word);
		ok(view->filter.state == SELECT_ALL && !view->search[0], "%s: nothing is asked for", works[i].word);
		view_key(view, KEYS_ESCAPE);
		ok(view->quit, "%s: then Esc quits", works[i].word);
		view_free(view);
	}
}

/* Esc that comes right after the end of long work was meant for it. */
static void test_cancel_late(void)
{
	struct view *view = start(20000);
	unsigned permille;

	load(view);
	type(view, "f");
	work_a_little(view);
	while (!view_step(view))
		;
	ok(!cancel_what(view, &permille), "the work is done");
	view_key(view, KEYS_ESCAPE);
	ok(!view->quit && strstr(view->message, "done"), "Esc a moment later does not quit: %s", view->message);
	is_int(view->filter.state, SELECT_LEAKS, "and changes nothing");
	view_key(view, KEYS_ESCAPE);
	ok(view->quit, "the next one does");
	view_free(view);
}

int main(void)
{
	int fd = mkstemp(path);

	test_ahead();
	test_never();
	test_cancel();
	test_cancel_late();
	close(fd);
	unlink(path);
	return done_testing();
}
