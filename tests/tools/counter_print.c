/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* counter_print FILE: the cells of a counter file, summed by label: LABEL COUNT BYTES, in the order
 * of ops.  trace_dump --counts prints the same of a trace. */
#include "tests/tools/counter.h"
#include "tests/tools/labels.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	static struct counter_file file;
	struct label_sums sums = { 0 };
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!in || fread(&file, sizeof(file), 1, in) != 1) {
		fprintf(stderr, "counter_print: cannot read %s\n", argc == 2 ? argv[1] : "FILE");
		return 1;
	}
	fclose(in);
	for (unsigned op = 0; op < OP_END; op++)
		label_sums_add(&sums, op, file.cells[op].count, file.cells[op].bytes);
	label_sums_print(&sums);
	return 0;
}
