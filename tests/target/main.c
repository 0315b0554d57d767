/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The target program of the scenario tests: scenarios NAME does one thing and says what it did. */
#include "tests/target/record.h"
#include "tests/target/scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct scenario {
	const char *name;
	void (*run)(void);
} scenarios[] = {
#define X(name) { #name, scenario_##name },
	SCENARIOS(X)
#undef X
};

#define SCENARIO_COUNT (sizeof(scenarios) / sizeof(scenarios[0]))

static void mark(size_t size)
{
	void *p = malloc(size);

	KEEP(p);
	free(p);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < SCENARIO_COUNT; i++)
			puts(scenarios[i].name);
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < SCENARIO_COUNT; i++) {
		if (strcmp(argv[1], scenarios[i].name) != 0)
			continue;
		record_thread("scenarios");
		mark(RECORD_MARK_BEGIN);
		scenarios[i].run();
		mark(RECORD_MARK_END);
		record_print();
		return 0;
	}
	fprintf(stderr, "usage: scenarios --list | NAME\n");
	return 2;
}
