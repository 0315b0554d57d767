/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace_dump [--counts|--functions|--facts] FILE [SESSION]: a .mtk as lines, read with the container and the decoder alone.
 *
 *	fact KEY VALUE
 *	thread SERIAL TID NAME
 *	event NS TID OP SIZE PTR INNER FUNCTION;FUNCTION;...	in the order of time; SIZE - : none
 *	relative NUMBER PID PARENT CAME HOW VALUE NAME FILE
 *	exec | child PID NAME[: REASON] | lost THREAD COUNT | note TEXT | sync COUNT | rss COUNT
 *	counters THREAD LABEL BUCKET COUNT BYTES	cumulative
 *	marker NS NAME | pause NS PAUSED CALLS BYTES
 *	end HOW VALUE EVENTS
 *	file COMPLETE DAMAGED LEFTOVER
 *
 * --facts leaves out the events; --counts prints LABEL COUNT BYTES (labels.h) and losses only, --functions SYMBOL
 * COUNT BYTES, the first half of a realloc as REALLOC_FREE.
 * tests/tools/text_dump.awk makes the same event lines of a text log. */
#include "tests/tools/dump.h"
#include "tests/tools/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ops.h"

static void event_print(const struct dump *dump, const struct dump_event *row)
{
	const struct trace_event *event = &row->event;
	enum op_kind kind = op_kind(event->op);

	printf("event %llu %u %s ", (unsigned long long)trace_time(&dump->clock, event->stamp),
		row->tid, op_label(event->op));
	if (kind == OP_KIND_FREE)
		printf("- ");
	else
		printf("%llu ", (unsigned long long)event->size);
	printf("0x%llx %u ", (unsigned long long)event->ptr, event->inner);
	dump_frames_print(dump, event->stack);
	putchar('\n');
}

static void functions_print(const struct label_sums *sums)
{
	for (unsigned op = 0; op < 256; op++)
		if (sums->count[op])
			printf("%s %llu %llu\n", op == OP_REALLOC_FREE ? "REALLOC_FREE" :
				op_symbol(op) ? op_symbol(op) : op_label(op),
				(unsigned long long)sums->count[op], (unsigned long long)sums->bytes[op]);
}

static int usage(void)
{
	fprintf(stderr, "usage: trace_dump [--counts|--functions|--facts] FILE [SESSION]\n");
	return 2;
}

int main(int argc, char **argv)
{
	bool counts = argc >= 3 && strcmp(argv[1], "--counts") == 0;
	bool functions = argc >= 3 && strcmp(argv[1], "--functions") == 0;
	bool facts = argc >= 3 && strcmp(argv[1], "--facts") == 0;
	struct dump dump = { .quiet = counts || functions, .forget = counts || functions || facts };
	int at = dump.forget ? 2 : 1, status;

	if (argc <= at || argc > at + 2)
		return usage();
	if (argc == at + 2)
		dump.session = (uint32_t)atoi(argv[at + 1]);
	status = dump_read(&dump, argv[at]);
	if (status < 0) {
		fprintf(stderr, "trace_dump: cannot read %s: %s\n", argv[at], strerror(-status));
		return 1;
	}
	if (counts)
		label_sums_print(&dump.sums);
	if (functions)
		functions_print(&dump.sums);
	for (size_t i = 0; i < dump.events.count; i++)
		event_print(&dump, &dump.events.items[i]);
	dump_release(&dump);
	return 0;
}
